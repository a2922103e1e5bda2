import type { Row } from './exchange.ts'

const get = (path: string, ...headers: readonly string[]): Row => ({ line: `GET ${path}`, headers })

const named = (name: string, path: string, ...headers: readonly string[]): Row => ({
  ...get(path, ...headers),
  name,
})

const words = (paths: string) => paths.split(/\s+/).map((path) => get(path))

const ranges =
  'bytes=0-4 bytes=5- bytes=-5 bytes=0-25 bytes=0- bytes=-26 bytes=-99 bytes=-0 bytes=26- bytes=30-40 bytes=10-99 bytes=5-2 ' +
  'bytes=0-1,3-4 bytes=0-1,3-4,-1 bytes=0-25,0-25 bytes=40-,0-1 bytes=40-,50- bytes=,0-1 bytes= bytes=- bytes=x-y bytes=1-x ' +
  'bytes=1 items=0-1 0-1 bytes=0-1-2 bytes=+1-2 bytes=1-2=3'

const rangeRows = [
  ...ranges.split(' ').map((range) => named(range, '/range/26', `Range: ${range}`)),
  named('spaces', '/range/26', 'Range: bytes= 1 - 2 , 4 - 5'),
  named('If-Range', '/range/26', 'Range: bytes=0-1', 'If-Range: "range26"'),
  named(
    'If-Range date',
    '/range/26',
    'Range: bytes=0-1',
    'If-Range: Thu, 01 Jan 1970 00:00:00 GMT',
  ),
  named('If-None-Match *', '/range/26', 'If-None-Match: *'),
  named('If-None-Match', '/range/26', 'If-None-Match: "range26"'),
  named('If-Match *', '/range/26', 'If-Match: *'),
  named('If-Match', '/range/26', 'If-Match: "range26"'),
  { line: 'HEAD /range/26', headers: ['Range: bytes=0-1'] },
  { line: 'POST /range/26', headers: ['Range: bytes=0-1'] },
  ...words(
    '/range/1 /range/30 /range/0 /range/-1 /range/x /range/102401 /range/1048577 /range/26?duration=0.05 /range/26?duration=x ' +
      '/range/26?duration=-1 /range/26?chunk_size=3 /range/26?CHUNK_SIZE=3&Duration=0.01',
  ),
]

const accepts =
  '*/* image/* image/png image/jpeg image/webp image/svg+xml text/html image/svg image/png,image/webp IMAGE/PNG image/webp;q=0,image/png x'

const imageRows = [
  get('/image'),
  named('empty Accept', '/image', 'Accept:'),
  ...accepts.split(' ').map((accept) => named(accept, '/image', `Accept: ${accept}`)),
  ...words('/image/png /image/jpeg /image/webp /image/svg /image/gif /image/PNG /image/'),
  { line: 'POST /image' },
  { line: 'HEAD /image/png' },
]

const byteRows = ['/bytes', '/stream-bytes'].flatMap((path) => [
  ...words(
    [
      '',
      '/0',
      '/1',
      '/100',
      '/x',
      '/-1',
      '/1.5',
      '/102400',
      '/102401',
      '/1048577',
      '/5?seed=1',
      '/5?seed=x',
      '/5?seed=',
      '/5?SEED=x',
      '/5?seed=-7',
    ]
      .map((rest) => path + rest)
      .join(' '),
  ),
  ...words(
    [
      '10?chunk_size=3',
      '10?chunk_size=0',
      '10?chunk_size=-1',
      '10?chunk_size=x',
      '10?chunk_size=99',
    ]
      .map((rest) => `${path}/${rest}`)
      .join(' '),
  ),
  { line: `POST ${path}/5` },
  { line: `HEAD ${path}/5` },
])

const form = 'Content-Type: application/x-www-form-urlencoded'
const json = 'Content-Type: application/json'

const delayRows: readonly Row[] = [
  ...words(
    '/delay/0 /delay/0.05 /delay/0.0519 /delay/50ms /delay/1us /delay/0h0m0.01s /delay/.01 /delay/1e-2 /delay/+0.01 /delay/-1 /delay/-1s /delay/x ' +
      '/delay/ /delay/nan /delay/ms /delay/1.5 /delay/0.01/x /delay/0.01?a=1&b=2&a=3',
  ),
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE', 'OPTIONS', 'PROPFIND'].map((method) => ({
    line: `${method} /delay/0.01`,
  })),
  { line: 'POST /delay/0.02', headers: [form], body: 'a=1&a=2' },
  { line: 'POST /delay/0.03', headers: [json], body: '{"a":1}' },
  { line: 'POST /delay/0.04', headers: [json], body: '{' },
]

const dripRows: readonly Row[] = [
  ...words(
    '?duration=0&delay=0 ?duration=0.05&delay=0 ?duration=0.05&delay=0&numbytes=1 ?duration=0&delay=0&numbytes=0 ?duration=0&delay=0&numbytes=-1 ' +
      '?duration=0&delay=0&numbytes=x ?duration=x&delay=0 ' +
      '?duration=1.5s&delay=9s ?duration=0&delay=0&code=418 ?duration=0&delay=0&code=99 ?duration=0&delay=0&code=600 ?duration=0&delay=0&code=x ' +
      '?duration=0&delay=0&code=204 ?duration=0&delay=0&code=304 ?duration=0&delay=0&code= ?DURATION=0&Delay=0&NumBytes=3 ?duration=0&delay=0.05&numbytes=3 ' +
      '?duration=0&delay=0&numbytes= ?duration=50ms&delay=10ms&numbytes=3 ?duration=0&delay=x',
  ).map((row) => ({ ...row, line: row.line.replace('GET ', 'GET /drip') })),
  { line: 'POST /drip?duration=0&delay=0' },
  { line: 'HEAD /drip?duration=0&delay=0' },
]

const timed = (path: string) =>
  words(
    '?count=3&duration=0.05 ?count=0&duration=0.01 ?count=1&duration=0.01 ?count=x ?count=-1&duration=0.01 ?count=1000000&duration=1ns&delay=x ?duration=0 ?duration=-1 ' +
      '?duration=x ?duration=11 ?duration=6&delay=5 ?delay=x ?delay=11s ?jitter=2 ?jitter=x ?jitter=-1 ?count=3&duration=0.05&jitter=1 ?count=2&duration=50ms&delay=50ms',
  ).map((row) => ({ ...row, line: row.line.replace('GET ', `GET ${path}`) }))

const webSocketRows = [
  ...[
    '',
    '?max_fragment_size=x',
    '?max_fragment_size=0',
    '?max_message_size=1048577',
    '?max_message_size=x',
    '?max_fragment_size=10&max_message_size=5',
  ].map((query) => get(`/websocket/echo${query}`)),
  { line: 'POST /websocket/echo' },
  named(
    'version',
    '/websocket/echo',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 12',
  ),
  named(
    'no key',
    '/websocket/echo',
    'Connection: Upgrade',
    'Upgrade: WebSocket',
    'Sec-WebSocket-Version: 13',
  ),
]

const streamRows: readonly Row[] = [
  ...words(
    '/stream/0 /stream/1 /stream/3 /stream/101 /stream/-1 /stream/x /stream/ /stream/2?a=1&b=%3C%26%3E&a=2 /stream/1.5',
  ),
  named('headers', '/stream/2', 'X-A: <&>', 'B: 1', 'b: 2', 'Content-Type: x', 'Accept: é'),
  { line: 'POST /stream/2' },
  { line: 'HEAD /stream/2' },
]

/** Extensions of httpbin. */
export const goRows: readonly Row[] = [
  ...words('/drip?duration=-1 /drip?duration=11 /drip?delay=6&duration=5 /drip?numbytes=1048577'),
  ...timed('/sse'),
  { line: 'HEAD /sse?duration=0.01' },
  ...timed('/jsonl'),
  { line: 'POST /jsonl?count=2', headers: ['X: <'] },
  ...words(
    '/trailers /trailers?a=1 /trailers?Content-Type=x /trailers?te=1 /trailers?set-cookie=a',
  ),
  { line: 'POST /trailers?x-a=1', headers: [json], body: '{"a":1}' },
  { line: 'POST /trailers?x-b=1', headers: [json], body: '{' },
  { line: 'HEAD /trailers?a=1' },
  ...webSocketRows,
  ...words('/jsonl?count=1&jitter=+1 /jsonl?count=1&duration=+1 /jsonl?count=1&delay=0.0005'),
]

const codingRows: readonly Row[] = ['/gzip', '/deflate', '/brotli'].flatMap((path) => [
  get(path),
  named('Accept-Encoding', `${path}?a=1`, 'Accept-Encoding: identity', 'X-A: 1'),
  { line: `POST ${path}` },
  { line: `HEAD ${path}` },
])

/** Requests to the endpoints that take time, or send generated bytes. */
export const slowRows: readonly Row[] = [
  ...delayRows,
  ...dripRows,
  ...streamRows,
  ...byteRows,
  ...rangeRows,
  ...codingRows,
  ...imageRows,
  ...words(
    '/range/-0 /range/+1 /range/26?chunk_size= /range/26?chunk_size=x /bytes/10?seed=+1 /delay/+0 /delay/0x1',
  ),
]
