/** A request whose cost is measured, beside a baseline that does the same work. */
export interface Row extends Request {
  name: string
  title: string
  baseline: Contender
  /** The CPU time of Vitrine per request is at most this multiple of the baseline's. */
  goal?: number
  /** Programs that do the same job their own way, for information. */
  peers?: readonly Contender[]
  settings?: Readonly<Record<string, string>>
  /** The initial number of locations. */
  records?: number
  /** Requests in each slice. */
  slice?: number
}

export interface Request {
  path: string
  /** With a body, the method is POST. */
  body?: string
  headers?: Readonly<Record<string, string>>
}

export type Contender =
  | 'vitrine'
  | 'fastify'
  | 'fastify-logged'
  | 'fastify-echo'
  | 'node-http'
  | 'node-insert'
  | 'nginx'
  | 'json-server'
  | 'json-server-beta'
  | 'go-httpbin'
  | 'httpbin'

/** The id of the location that rows request. */
export const knownId = 'known'

const json = { accept: 'application/json' }
const show = { path: `/locations/${knownId}`, records: 1000, baseline: 'fastify' } as const
/** Also measured on PostgreSQL and with workers. */
export const showRequest: Request = { path: `/locations/${knownId}`, headers: json }
export const createRequest: Request = {
  path: '/locations',
  headers: { ...json, 'content-type': 'application/json' },
  body: '{"name":"Pier","latitude":53.5,"longitude":-9.25}',
}

const listPage = { path: '/locations?page=3&per_page=20', records: 1000, slice: 5000 } as const
const compressed = { 'accept-encoding': 'gzip, deflate, br, zstd' }

const words = 'x'.repeat(970)

export const rows: readonly Row[] = [
  {
    name: 'json',
    title: '`GET /api/json`',
    path: '/api/json',
    baseline: 'fastify',
    goal: 1.12,
    peers: ['go-httpbin', 'httpbin'],
  },
  {
    name: 'json-logged',
    title: '`GET /api/json` with a log line',
    path: '/api/json',
    settings: { LOG_LEVEL: 'info' },
    baseline: 'fastify-logged',
    goal: 1.2,
  },
  {
    name: 'record',
    title: '`GET /locations/:id` as JSON',
    ...show,
    headers: json,
    goal: 1.3,
    peers: ['json-server', 'json-server-beta'],
  },
  {
    name: 'not-modified',
    title: '`GET /locations/:id`, 304',
    ...show,
    headers: { ...json, 'if-none-match': '*' },
    goal: 1.25,
  },
  {
    name: 'page',
    title: '`GET /locations/:id` as a page',
    ...show,
    headers: { accept: 'text/html' },
    goal: 1.9,
  },
  {
    name: 'echo-json',
    title: '`POST /users/post`, 1 KiB of JSON',
    path: '/users/post',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ words, number: 1 }),
    baseline: 'fastify-echo',
    goal: 1.15,
  },
  {
    name: 'echo-form',
    title: '`POST /users/post`, 1 KiB of a form',
    path: '/users/post',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `words=${words}&number=1`,
    baseline: 'fastify-echo',
    goal: 1.15,
  },
  {
    name: 'create',
    title: '`POST /locations`',
    ...createRequest,
    records: 1000,
    baseline: 'node-insert',
    goal: 1.5,
    peers: ['json-server', 'json-server-beta'],
    slice: 10_000,
  },
  {
    name: 'file',
    title: 'a static file of 4 KiB',
    path: '/4k.bin',
    baseline: 'node-http',
    goal: 1.4,
    peers: ['nginx'],
  },
  {
    name: 'file-large',
    title: 'a static file of 1 MiB',
    path: '/1m.bin',
    baseline: 'node-http',
    peers: ['nginx'],
    slice: 1000,
  },
  {
    name: 'list-page',
    title: '`GET /locations?page=3&per_page=20` of 1,000,000 records',
    path: '/locations?page=3&per_page=20',
    headers: json,
    records: 1_000_000,
    baseline: 'fastify',
  },
  {
    name: 'list',
    title: '`GET /locations?page=3&per_page=20`',
    ...listPage,
    headers: json,
    baseline: 'fastify',
  },
  {
    name: 'list-zstd',
    title: 'the same with `Accept-Encoding`',
    ...listPage,
    headers: { ...json, ...compressed },
    baseline: 'fastify',
  },
  {
    name: 'list-html',
    title: '`GET /locations?page=3&per_page=20` as a page',
    ...listPage,
    headers: { accept: 'text/html' },
    baseline: 'fastify',
  },
  {
    name: 'docs',
    title: '`GET /docs`',
    path: '/docs',
    slice: 2000,
    baseline: 'fastify',
  },
  {
    name: 'docs-zstd',
    title: 'the same with `Accept-Encoding`',
    path: '/docs',
    headers: compressed,
    slice: 5000,
    baseline: 'fastify',
  },
]
