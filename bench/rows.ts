/** One line of the table: a request, and who is measured by it. */
export interface Row {
  name: string
  title: string
  /** What the ratio has to reach. */
  target: number
  /** Whose requests a second are 1. */
  limit: Contender
  peers: readonly Contender[]
  path: string
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Settings of Vitrine beside those of every row. */
  settings?: Readonly<Record<string, string>>
  /** Locations in the database beforehand. */
  records?: number
}

export type Contender =
  'vitrine' | 'node-http' | 'fastify' | 'hono' | 'koa' | 'express' | 'json-server' | 'nginx'

const frameworks = ['fastify', 'hono', 'koa', 'express'] as const
const json = { accept: 'application/json' }
const form = 'application/x-www-form-urlencoded'

/** The id of the location that rows ask for; see `fill`. */
export const knownId = 'known'

const words = 'x'.repeat(970)

export const rows: readonly Row[] = [
  {
    name: 'json',
    title: '`GET /api/json`',
    target: 0.85,
    limit: 'node-http',
    peers: frameworks,
    path: '/api/json',
  },
  {
    name: 'json-logged',
    title: 'the same with a log line for each request',
    target: 0.7,
    limit: 'node-http',
    peers: [],
    path: '/api/json',
    settings: { LOG_LEVEL: 'info' },
  },
  {
    name: 'record',
    title: '`GET /locations/:id` as JSON',
    target: 0.75,
    limit: 'node-http',
    peers: ['json-server'],
    path: `/locations/${knownId}`,
    headers: json,
    records: 1000,
  },
  {
    name: 'not-modified',
    title: 'the same, 304',
    target: 0.8,
    limit: 'node-http',
    peers: [],
    path: `/locations/${knownId}`,
    headers: { ...json, 'if-none-match': '*' },
    records: 1000,
  },
  {
    name: 'page',
    title: '`GET /locations/:id` as a page',
    target: 0.45,
    limit: 'node-http',
    peers: [],
    path: `/locations/${knownId}`,
    headers: { accept: 'text/html' },
    records: 1000,
  },
  {
    name: 'list-page',
    title: '`GET /locations?page=3&per_page=20` as JSON of 1,000,000 records',
    target: 0.25,
    limit: 'node-http',
    peers: [],
    path: '/locations?page=3&per_page=20',
    headers: json,
    records: 1_000_000,
  },
  {
    name: 'create',
    title: '`POST /locations`, durable across `kill -9`',
    target: 0.35,
    limit: 'node-http',
    peers: ['json-server'],
    path: '/locations',
    method: 'POST',
    headers: { ...json, 'content-type': 'application/json' },
    body: '{"name":"Pier","latitude":53.5,"longitude":-9.25}',
  },
  {
    name: 'create-million',
    title: 'the same beside 1,000,000 records',
    target: 0.35,
    limit: 'node-http',
    peers: [],
    path: '/locations',
    method: 'POST',
    headers: { ...json, 'content-type': 'application/json' },
    body: '{"name":"Pier","latitude":53.5,"longitude":-9.25}',
    records: 1_000_000,
  },
  {
    name: 'record-million',
    title: '`GET /locations/:id` as JSON of 1,000,000 records',
    target: 0.75,
    limit: 'node-http',
    peers: [],
    path: `/locations/${knownId}`,
    headers: json,
    records: 1_000_000,
  },
  {
    name: 'file',
    title: 'a static file of 4 KiB, beside nginx',
    target: 0.6,
    limit: 'nginx',
    peers: ['node-http'],
    path: '/4k.bin',
  },
  {
    name: 'file-large',
    title: 'a static file of 1 MiB, beside nginx',
    target: 0.5,
    limit: 'nginx',
    peers: ['node-http'],
    path: '/1m.bin',
  },
  {
    name: 'echo-json',
    title: 'echo of 1 KiB of JSON',
    target: 0.55,
    limit: 'node-http',
    peers: [],
    path: '/users/post',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ words, number: 1 }),
  },
  {
    name: 'echo-form',
    title: 'echo of 1 KiB of a form',
    target: 0.55,
    limit: 'node-http',
    peers: [],
    path: '/users/post',
    method: 'POST',
    headers: { 'content-type': form },
    body: `words=${words}&number=1`,
  },
]
