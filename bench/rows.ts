/** A job whose CPU time is measured, beside the programs that people use for it. */
export interface Row {
  name: string
  /** For the page. */
  title: string
  request: Request
  /** The same job of other programs. */
  peers: Readonly<Partial<Record<Contender, Peer>>>
  /** Log and inspector are off if it is not given: `{}` is the service with its defaults. */
  settings?: Readonly<Record<string, string>>
  /** Arguments of Vitrine; the data file follows them. */
  data?: readonly string[]
  /** The initial number of locations. */
  records?: number
  /** Requests in each slice. */
  slice?: number
}

export interface Peer extends Request {
  /** The CPU time of the peer is at least this multiple of that of Vitrine. */
  goal?: number
  /** Why the goal is missed, for the page. */
  reason?: string
}

export interface Request {
  /** A number from 1 to 1,000 stands for each `$n`, so that the URLs vary as those of real clients do. */
  path: string
  /** With a body, the method is POST. */
  body?: string
  headers?: Readonly<Record<string, string>>
}

export type Contender =
  'vitrine' | 'nginx' | 'json-server' | 'json-server-beta' | 'go-httpbin' | 'httpbin' | 'pocketbase'

const json = { accept: 'application/json' }
const jsonBody = { 'content-type': 'application/json' }
/** Also measured on PostgreSQL and with several processes. */
export const showRequest: Request = { path: '/locations/id-$n', headers: json }
export const createRequest: Request = {
  path: '/locations',
  headers: { ...json, ...jsonBody },
  body: '{"name":"Pier","latitude":53.5,"longitude":-9.25}',
}

const person = JSON.stringify({
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  tags: ['a', 'b', 'c'],
  address: { street: '12 St James Square', city: 'London', country: 'UK', zip: 'SW1Y 4JH' },
  bio: 'lorem ipsum '.repeat(22),
})
const post = JSON.stringify({ title: 'a post', body: 'lorem ipsum', authorId: 3, views: 12 })

const httpbinJobs = [
  {
    name: 'get',
    path: '/get?n=$n',
    reasons: {
      quiet: `A request takes 4.5 µs in bare \`node:http\` and 13.0 in Vitrine: 0.3 for Fastify, 3.9 for the target, the checks, the request id and the head of the response, and 4.3 for the JSON about the request.`,
      defaults: `A request takes 19.5 µs: 4.5 in bare \`node:http\`, 8.5 for the job itself, 2.2 for the line of the log, which is written once in a turn of the event loop, and 4.3 for the inspector, which writes 1.5 KB as bytes.`,
    },
  },
  {
    name: 'post',
    path: '/post?n=$n',
    body: person,
    headers: jsonBody,
    reasons: {
      defaults: `A request takes 23.4 µs without log and inspector, and 33.6 with them: the inspector copies both bodies.`,
    },
  },
  {
    name: 'status',
    path: '/status/204?n=$n',
    goals: { quiet: 0.75, defaults: 0.6 },
    reasons: {
      defaults: `A request takes 4.5 µs in bare \`node:http\`, 8.7 without log and inspector, and 13.5 with them: 2.4 for the log and 2.4 for the inspector.`,
    },
  },
  {
    name: 'bytes',
    path: '/bytes/1024?n=$n',
    reasons: {
      quiet: `A request takes 10.2 µs, 4.5 of them in bare \`node:http\`.`,
      defaults: `A request takes 16.1 µs: 10.2 for the job, 2.3 for the log and 3.6 for the inspector, which copies the bytes.`,
    },
  },
]

const httpbinRows = httpbinJobs.flatMap(({ name, goals, reasons, ...request }): Row[] => {
  const { quiet, defaults } = goals ?? { quiet: 1, defaults: 0.8 }
  const own = { ...request, path: `/go-httpbin${request.path}` }
  const size = request.body ? ` with ${String(request.body.length)} bytes of JSON` : ''
  const what = `\`${request.body ? 'POST' : 'GET'} ${request.path.replace('?n=$n', '')}\`${size}`
  const toPeers = (goal: number, reason = ''): Row['peers'] => ({
    'go-httpbin': { ...request, goal, reason },
    httpbin: { ...request, goal: 1 },
  })
  return [
    {
      name,
      title: `${what}, without log and inspector`,
      request: own,
      peers: toPeers(quiet, reasons.quiet),
    },
    {
      name: `${name}-defaults`,
      title: what,
      request: own,
      peers: toPeers(defaults, reasons.defaults),
      settings: {},
    },
  ]
})

/** Jobs with the 1,000 posts of the data file, for which json-server has the same URLs. */
function toJsonServerRows(
  version: '0.17' | '1',
  peer: Contender,
  jobs: Readonly<Record<string, Request>>,
): Row[] {
  return Object.entries(jobs).map(([what, request]) => ({
    name: `json-server-${version}-${what.replaceAll(' ', '-')}`,
    title: `\`--json-server=${version}\`: ${what}`,
    request,
    peers: { [peer]: { ...request, goal: 1 } },
    data: [`--json-server=${version}`],
    slice: what === 'create' ? 500 : 2000,
  }))
}

const collection = '/api/collections/posts/records'

export const rows: readonly Row[] = [
  ...httpbinRows,
  ...toJsonServerRows('0.17', 'json-server', {
    record: { path: '/posts/$n' },
    'page of 20': { path: '/posts?_page=3&_limit=20&n=$n' },
    'filter and sort': { path: '/posts?authorId=3&_sort=views&_order=desc&_limit=20&n=$n' },
    search: { path: '/posts?q=number%20$n&_limit=20' },
    create: { path: '/posts', body: post, headers: jsonBody },
  }),
  ...toJsonServerRows('1', 'json-server-beta', {
    record: { path: '/posts/$n' },
    'page of 20': { path: '/posts?_page=3&_per_page=20&n=$n' },
    'filter and sort': { path: '/posts?authorId=3&_sort=-views&n=$n' },
  }),
  ...[
    {
      what: 'record',
      path: '/posts/$n',
      other: `${collection}/$n`,
    },
    {
      what: 'page of 20',
      path: '/posts?sort=-views&views:lte=$n&per_page=20',
      other: `${collection}?sort=-views&filter=(views<=$n)&perPage=20`,
    },
    {
      what: 'filter and sort',
      path: '/posts?authorId=3&views:lte=$n&sort=-views&per_page=20',
      other: `${collection}?sort=-views&filter=(authorId=3%26%26views<=$n)&perPage=20`,
    },
    { what: 'create', path: '/posts', other: collection, body: post },
  ].map(({ what, path, other, ...body }): Row => {
    const headers = { ...json, ...(what === 'create' && jsonBody) }
    return {
      name: `own-data-${what.replaceAll(' ', '-')}`,
      title: `own data: ${what}`,
      request: { path, headers, ...body },
      peers: { pocketbase: { path: other, headers, ...body, goal: 1 } },
      data: [],
      slice: what === 'record' ? 20_000 : 5000,
    }
  }),
  {
    name: 'location',
    title: '`GET /locations/:id`',
    request: showRequest,
    peers: {},
    records: 10_000,
  },
  { name: 'create', title: '`POST /locations`', request: createRequest, peers: {}, records: 1000 },
  {
    name: 'file',
    title: 'a static file of 4 KiB',
    request: { path: '/4k.bin' },
    peers: { nginx: { path: '/4k.bin' } },
  },
]

export function peersOf({ peers }: Row): Contender[] {
  return Object.keys(peers) as Contender[]
}
