/** A request, and the contenders whose requests per second are measured with it. */
export interface Row {
  name: string
  title: string
  /** The ratio to reach. */
  target: number
  /** The contender with ratio 1. */
  limit: Contender
  peers: readonly Contender[]
  path: string
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** More settings of Vitrine. */
  settings?: Readonly<Record<string, string>>
  /** The initial number of locations. */
  records?: number
  /** The multiple of the rate of this peer to reach. */
  timesPeer?: { peer: Contender; target: number }
}

export type Contender =
  | 'vitrine'
  | 'node-http'
  | 'fastify'
  | 'hono'
  | 'koa'
  | 'express'
  | 'json-server'
  | 'json-server-beta'
  | 'httpbin'
  | 'nginx'
  | 'fastify-static'

const frameworks = ['fastify', 'hono', 'koa', 'express'] as const
const jsonServers = ['json-server', 'json-server-beta'] as const
const json = { accept: 'application/json' }
const form = 'application/x-www-form-urlencoded'

/** The id of the location that rows request; see `fill`. */
export const knownId = 'known'

/** Also measured with more and more records; see `growth.ts`. */
export const showRequest = { path: `/locations/${knownId}`, headers: json }
export const createRequest = {
  path: '/locations',
  method: 'POST',
  headers: { ...json, 'content-type': 'application/json' },
  body: '{"name":"Pier","latitude":53.5,"longitude":-9.25}',
}

const words = 'x'.repeat(970)

export const rows: readonly Row[] = [
  {
    name: 'json',
    title: '`GET /api/json`',
    target: 0.85,
    limit: 'node-http',
    peers: [...frameworks, 'httpbin'],
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
    peers: jsonServers,
    ...showRequest,
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
    peers: jsonServers,
    ...createRequest,
    records: 1000,
    timesPeer: { peer: 'json-server', target: 30 },
  },
  {
    name: 'create-full',
    title: 'the same with `DURABILITY=full`',
    target: 0.2,
    limit: 'node-http',
    peers: [],
    ...createRequest,
    records: 1000,
    settings: { DURABILITY: 'full' },
  },
  {
    name: 'file',
    title: 'a static file of 4 KiB, beside nginx',
    target: 0.6,
    limit: 'nginx',
    peers: ['node-http', 'fastify-static'],
    path: '/4k.bin',
  },
  {
    name: 'file-large',
    title: 'a static file of 1 MiB, beside nginx',
    target: 0.5,
    limit: 'nginx',
    peers: ['node-http', 'fastify-static'],
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
