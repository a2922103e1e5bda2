/** A request whose cost is measured, beside a baseline that does the same work. */
export interface Row extends Request {
  name: string
  title: string
  baseline: Contender
  /** The CPU time of Vitrine per request is at most this multiple of the baseline's. */
  goal?: number
  /** Why the goal cannot be reached, for the page. */
  reason?: string
  /** Programs that do the same job in their own way, with the paths that they have for it. */
  peers?: Readonly<Partial<Record<Contender, string>>>
  settings?: Readonly<Record<string, string>>
  /** The initial number of locations. */
  records?: number
  /** Requests in each slice. */
  slice?: number
  /** Over TLS. */
  isHttp2?: boolean
}

export interface Request {
  path: string
  /** With a body, the method is POST. */
  body?: string
  headers?: Readonly<Record<string, string>>
}

export type Contender =
  | 'vitrine'
  | 'vitrine-unrecorded'
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
  | 'pocketbase'

/** The id of the location that rows request; PocketBase has ids of 15 characters. */
export const knownId = 'known0000000000'

const json = { accept: 'application/json' }
const path = `/locations/${knownId}`
const show = { path, records: 1000, baseline: 'fastify' } as const
/** Also measured on PostgreSQL and with several processes. */
export const showRequest: Request = { path, headers: json }
const collection = '/api/collections/locations/records'
const httpbins = (path: string) => ({ 'go-httpbin': path, httpbin: path })
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
    peers: httpbins('/json'),
  },
  {
    name: 'json-http2',
    title: '`GET /api/json`, HTTP/2',
    path: '/api/json',
    isHttp2: true,
    baseline: 'fastify',
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
    name: 'inspector',
    title: '`GET /api/json`, recorded',
    path: '/api/json',
    settings: { INSPECTOR: 'all' },
    baseline: 'vitrine-unrecorded',
    goal: 1.15,
  },
  {
    name: 'inspector-logged',
    title: '`GET /api/json`, recorded, with a log line',
    path: '/api/json',
    settings: { INSPECTOR: 'all', LOG_LEVEL: 'info' },
    baseline: 'vitrine-unrecorded',
    goal: 1.15,
  },
  {
    name: 'httpbin-get',
    title: '`GET /httpbin/get`',
    path: '/httpbin/get',
    baseline: 'fastify',
    peers: { httpbin: '/get' },
  },
  {
    name: 'go-httpbin-get',
    title: '`GET /go-httpbin/get`',
    path: '/go-httpbin/get',
    baseline: 'fastify',
    peers: { 'go-httpbin': '/get' },
  },
  {
    name: 'record',
    title: '`GET /locations/:id` as JSON',
    ...show,
    headers: json,
    goal: 1.3,
    peers: {
      'json-server': path,
      'json-server-beta': path,
      pocketbase: `${collection}/${knownId}`,
    },
  },
  {
    name: 'record-http2',
    title: '`GET /locations/:id`, HTTP/2',
    ...show,
    headers: json,
    isHttp2: true,
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
    peers: httpbins('/post'),
  },
  {
    name: 'echo-form',
    title: '`POST /users/post`, 1 KiB of a form',
    path: '/users/post',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `words=${words}&number=1`,
    baseline: 'fastify-echo',
    goal: 1.15,
    peers: httpbins('/post'),
  },
  {
    name: 'create',
    title: '`POST /locations`',
    ...createRequest,
    records: 1000,
    baseline: 'node-insert',
    goal: 1.5,
    peers: {
      'json-server': '/locations',
      'json-server-beta': '/locations',
      pocketbase: collection,
    },
    slice: 10_000,
  },
  {
    name: 'file',
    title: 'a static file of 4 KiB',
    path: '/4k.bin',
    baseline: 'node-http',
    goal: 1.4,
    peers: { nginx: '/4k.bin', pocketbase: '/4k.bin' },
  },
  {
    name: 'file-large',
    title: 'a static file of 1 MiB',
    path: '/1m.bin',
    baseline: 'node-http',
    peers: { nginx: '/1m.bin' },
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

export function peersOf({ peers = {} }: Row): Contender[] {
  return Object.keys(peers) as Contender[]
}
