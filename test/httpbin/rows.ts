import type { Row } from './exchange.ts'

const form = 'Content-Type: application/x-www-form-urlencoded'
const json = 'Content-Type: application/json'

const get = (path: string, ...headers: readonly string[]): Row => ({ line: `GET ${path}`, headers })
const post = (body: string, ...headers: readonly string[]): Row => ({
  line: 'POST /post',
  headers,
  body,
})
const bytes = (hex: string, ...headers: readonly string[]): Row => ({
  ...post(Buffer.from(hex, 'hex').toString('base64'), ...headers),
  encoding: 'base64',
})
const multipart = (...parts: readonly string[]): Row =>
  post(
    `${parts.map((part) => `--b\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--b--\r\n`,
    'Content-Type: multipart/form-data; boundary=b',
  )

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND']

/** Requests to both services. */
export const rows: readonly Row[] = [
  get('/get'),
  get('/get?a=1&b=2&a=3&=x&c&d='),
  get('/get?a=%ff&b=%C3%A9&c=%e2%82&f=a+b&g=%2Bx%26'),
  get('/get?%22=%5C&tab=%09&nul=%00&del=%7f&u=%F0%9F%98%80'),
  get('/get?10=a&9=b&__proto__=c&constructor=d'),
  get('/get?a=%zz&b=%4'),
  get('/get?a=1;b=2'),
  get('/get?a=/x%20y?z&b=%3F#'.replace('#', '')),
  get('/get', 'Accept: */*', 'X-A: 1', 'x-a: 2', 'X-1a-BB: x', 'DNT: 1', 'ETAG: y'),
  get('/get', 'Cookie: a=1; b=2'),
  get('/get', 'Via: 1.1 x', 'X-Real-Ip: 1.1.1.1', 'X-Request-Id: abc'),
  get('/get', 'X-Forwarded-For: 1.2.3.4, 5.6.7.8'),
  get('/get', 'X-Forwarded-Proto: https'),
  get('/get', 'X-Forwarded-Protocol: https'),
  get('/get', 'X-Forwarded-Ssl: on'),
  get('/get', 'CF-Connecting-IP: 9.9.9.9'),
  get('/get', 'Origin: http://other.example'),
  get('/get/'),
  get('/nothing'),
  get('/nothing/at/all'),
  ...methods.flatMap((method) =>
    [
      '/get',
      '/post',
      '/anything',
      '/headers',
      ...(method === 'PROPFIND' ? [] : ['/nothing']),
      '/status/200',
      '/upload',
      '/head',
    ].map((path) => ({ line: `${method} ${path}` })),
  ),
  {
    line: 'OPTIONS /post',
    headers: [
      'Origin: http://other.example',
      'Access-Control-Request-Method: PUT',
      'Access-Control-Request-Headers: x-a, x-b',
    ],
  },
  post('a=1&b=2&a=3', form),
  post('a=%ff&b=%C3%A9&c=é&d=x+y', form),
  post('a=1;b=2', form),
  post('a=%zz', form),
  post('a=1&_method=DELETE', form),
  post('a=1', `${form}; charset=utf-8`),
  post('a=1', 'Content-Type: Application/X-WWW-Form-Urlencoded'),
  bytes('613dff', form),
  post('{"b": 1, "a": [1, 2.5, true, null, "x"], "10": 1, "9": {}}', json),
  post(
    '{"a":1.0,"b":1e5,"c":1e16,"d":0.00001,"e":-0,"f":-0.0,"g":1E-7,"h":123456789.125e3,"i":1e22}',
    json,
  ),
  post('[]', json),
  post('"text é \\u2028 \\ud83d\\ude00 \\u007f <&>"', json),
  post('{"a":1,"a":2}', json),
  post('{"__proto__":{"a":1}}', json),
  post('12345678901234567890', json),
  post('[1]', `${json}; charset=utf-8`),
  post('[1]', 'Content-Type: application/problem+json'),
  post('text é', 'Content-Type: text/plain'),
  post('<p>', 'Content-Type: text/html; charset=utf-8'),
  post('<a/>', 'Content-Type: application/xml'),
  post('no type'),
  post(''),
  post('', json),
  bytes('00ff80', 'Content-Type: application/octet-stream'),
  bytes('00fffefb3e3f', 'Content-Type: image/png'),
  bytes('ff', 'Content-Type: text/plain'),
  bytes('e282ac', 'Content-Type: text/plain'),
  multipart(
    'name="a"\r\n\r\n1',
    'name="a"\r\n\r\n2',
    'name="b"; filename="b.txt"\r\nContent-Type: text/plain\r\n\r\ntext',
  ),
  multipart('name="f"; filename="1"\r\n\r\none', 'name="f"; filename="2"\r\n\r\ntwo'),
  multipart('name="f"; filename=""\r\n\r\n'),
  multipart('name=f; filename=x\r\n\r\nunquoted'),
  multipart('name="é"\r\n\r\né'),
  multipart('name="a"\r\n\r\n'),
  { ...multipart('name="a"\r\n\r\n1'), line: 'GET /anything' },
  { line: 'POST /post?a=1&b', headers: [form], body: 'a=2' },
  { line: 'PUT /put', headers: [json], body: '{}' },
  { line: 'PATCH /patch', headers: [json], body: '{}' },
  { line: 'DELETE /delete', headers: [form], body: 'a=1' },
  { line: 'GET /anything', headers: [form], body: 'a=1' },
  { line: 'POST /anything/a/b?c=d', headers: [json], body: '{"e":1}' },
  { line: 'POST /upload', body: 'twelve bytes' },
  { line: 'PUT /upload', body: '' },
  { line: 'POST /post', headers: ['Transfer-Encoding: chunked', json], body: '{"a":1}' },
  get('/anything/a%2Fb%20c%25d%3Fe%23%5B%7B%22'),
  get("/anything/%C3%A9/x;y=z/@:!$&'()*+,"),
  get('/anything/a?b=c&d=%23%26%3D%2B%25'),
  get('/anything/a%00%1f%7f'),
  get('/headers', 'X-Empty:', 'Accept-Encoding: gzip'),
  get('/headers?show_env', 'Via: x', 'X-Forwarded-For: 1.1.1.1'),
  get('/ip'),
  get('/ip?format=text'),
  get('/ip', 'X-Forwarded-For: 1.2.3.4'),
  get('/ip', 'Fly-Client-IP: 7.7.7.7', 'True-Client-IP: 8.8.8.8'),
  get('/user-agent'),
  get('/user-agent', 'User-Agent: test/1.0 (é)'),
  get('/dump/request?a=1', 'Accept: x'),
  ...[
    200, 201, 204, 206, 300, 301, 302, 303, 304, 305, 307, 308, 400, 401, 402, 404, 406, 407, 418,
    429, 500, 503, 599,
  ].map((code) => get(`/status/${String(code)}`)),
  ...words(
    '/status/x /status/ /status/99 /status/-1 /status/2.5 /status/200, /status/200,x /status/200:x,201 /status/201:1,201 /status/202:0.5,202:.5 /status/203:1:2,203',
  ),
  get('/unstable?failure_rate=0'),
  get('/unstable?failure_rate=1&seed=5'),
  get('/unstable?failure_rate=x'),
  get('/unstable?seed=x'),
]

function words(paths: string): readonly Row[] {
  return paths.split(' ').map((path) => get(path))
}
