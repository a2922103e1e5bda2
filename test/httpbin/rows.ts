import { authRows } from './auth-rows.ts'
import { get, toRows, type Row } from './exchange.ts'
import { multipartRows } from './multipart-rows.ts'

const form = 'Content-Type: application/x-www-form-urlencoded'
const json = 'Content-Type: application/json'

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

const cookieRows = [
  get('/cookies'),
  get('/cookies', 'Cookie: a=1; b="two words"; a=2; c; =d; e=f=g'),
  get('/cookies', 'Cookie: a="x\\073y"; b=c d; g h=1; i=j,k'),
  { ...get('/cookies', 'Cookie: a=1', 'Cookie: b=2'), name: 'with two headers' },
  get('/cookies', 'Cookie: _gauges_unique=1; __utma=2; c=3'),
  get('/cookies?show_env', 'Cookie: __utma=2; c=3'),
  ...toRows(
    '/cookies/set /cookies/set?a=1 /cookies/set?a=1&a=2 /cookies/set?a=x%20y /cookies/set?a=%22%5C%2C ' +
      '/cookies/set?a=b/c:d@e /cookies/set?a=%C3%BC /cookies/set?a= /cookies/set/a/b /cookies/set/a/x%20y ' +
      '/cookies/delete /cookies/delete?a /cookies/delete?a=1 /cookies/set?a=1&attr%5BSecure%5D=1&attr%5BSameSite%5D=lax ' +
      '/cookies/set?a=1&attr%5Bpath%5D=/x&attr%5BHttpOnly%5D=0 /cookies/set?a=1&attr[samesite]=x',
  ),
  get('/cookies/set?a=1', 'X-Forwarded-Proto: https'),
  { line: 'POST /cookies/set?a=1' },
]

const redirectRows = toRows(
  '/redirect/1 /redirect/5 /redirect/0 /redirect/-1 /redirect/x /redirect/2?absolute=true /redirect/1?absolute=TRUE ' +
    '/relative-redirect/1 /relative-redirect/3 /relative-redirect/0 /absolute-redirect/1 /absolute-redirect/3 ' +
    '/absolute-redirect/x /redirect-to?url=get /redirect-to?url=/get /redirect-to?url=http://x.example/a%20b?c=d%26e ' +
    '/redirect-to?url=%2Fa%3Fb%3Dc /redirect-to /redirect-to?url= /redirect-to?url=/a&status_code=307 ' +
    '/redirect-to?url=/a&status_code=399 /redirect-to?url=/a&status_code=200 /redirect-to?url=/a&status_code=x ' +
    '/redirect-to?URL=/a&Status_Code=301 /redirect-to?url=//x.example /redirect-to?url=https://x.example/%C3%A9 ' +
    '/redirect/00002 /redirect/99999999999999999999',
)

const responseRows = [
  ...toRows(
    '/response-headers /response-headers?a=1 /response-headers?a=1&b=2&a=3 /response-headers?X-A=%3Cb%3E ' +
      '/response-headers?Content-Type=text/html&a=%3Cb%3E /response-headers?Content-Type=text/plain;%20charset=utf-8 ' +
      '/response-headers?ETag=x&Cache-Control=no-store /response-headers?e=%C3%A9 /cache/60 /cache/0 /cache/x /cache/-1 ' +
      '/etag/a /etag/a%20b /cache',
  ),
  { line: 'POST /response-headers?a=1' },
  get('/cache', 'If-None-Match: x'),
  get('/cache', 'If-Modified-Since: x'),
  ...['a', '"a"', 'W/"a"', '"b", "a"', '*', '"b"'].flatMap((tag) => [
    get('/etag/a', `If-None-Match: ${tag}`),
    get('/etag/a', `If-Match: ${tag}`),
  ]),
  get('/etag/a', 'If-Match: "b"', 'If-None-Match: "a"'),
  { line: 'PUT /etag/a', headers: ['If-Match: "b"'] },
  { line: 'POST /etag/a', headers: ['If-None-Match: *'] },
  ...['bytes=2-9', 'bytes=900-', 'bytes=x', 'bytes=0-1,4-5'].map((range) =>
    get('/etag/a', `Range: ${range}`),
  ),
  ...['"a"', '"b"', 'x'].map((tag) => get('/etag/a', 'Range: bytes=0-1', `If-Range: ${tag}`)),
]

const formatRows = toRows(
  '/html /encoding/utf8 /forms/post /xml /json /robots.txt /deny /uuid /links/3 /links/3/0 /links/3/2 /links/3/9 ' +
    '/links/0/0 /links/257/0 /links/x /links/3/x /links/1?a=b /base64/aGk= /base64/aGk /base64/a /base64/%21 ' +
    '/base64/aGk%3D%3D /base64/4pyTIMOgIGxhIG1vZGU= /base64/PGI- /base64/PGI+ /base64/_w== /base64/ /base64/encode/x%3Cy ' +
    '/base64/encode/%C3%A9%3F%3F%3E /base64/decode/aGk= /base64/x/y /base64/PGI-?content-type=text/html ' +
    '/base64/PGI-?content-type=application/json /base64/aGk=?content-type=image/png /hostname /env /version',
)

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
  get('/headers', 'X-Percent: %2f%41', 'X-Plus: a+b'),
  get('/anything/a%7B{}<"%41(!)'),
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
  ...toRows(
    '/status/x /status/ /status/99 /status/-1 /status/2.5 /status/200, /status/200,x /status/200:x,201 /status/201:1,201 /status/202:0.5,202:.5 /status/203:1:2,203',
  ),
  get('/unstable?failure_rate=0'),
  get('/unstable?failure_rate=1&seed=5'),
  get('/unstable?failure_rate=x'),
  get('/unstable?seed=x'),
  ...authRows,
  ...cookieRows,
  ...redirectRows,
  ...responseRows,
  ...formatRows,
  ...multipartRows,
  ...toRows(
    '/base64/decode/ /base64/decode/aGk=/x /base64/other/aGk= /links/+1 /links/012 /links/-0 ' +
      '/get? /anything? /headers? /status/99999999999999999999 /status/200%00 /status/200:1,x%1f /links/2%7f ' +
      '/redirect/1%00 /redirect-to?url=/a&status_code= /redirect-to?url=/a&status_code=+307 ' +
      '/redirect-to?url=/a&status_code=3_07x /unstable?failure_rate=0&seed=99999999999999999999',
  ),
  get('/ip', 'X-Forwarded-For: , 1.2.3.4'),
  get('/ip', 'X-Forwarded-For: 1.2.3.4 ,5.6.7.8'),
]
