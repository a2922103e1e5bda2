import { toGet, toRequest } from './watched-vitrine.ts'

/** The bytes of a message, and the status codes that are right for it. */
export type RawRow = readonly [
  what: string,
  message: string | Buffer,
  allowed: readonly number[],
  options?: { endsHalf?: boolean },
]

const host = 'Host: x'
const close = 'Connection: close'

function toLine(line: string): string {
  return toRequest(line, [host, close])
}

export const requestLineRows: readonly RawRow[] = [
  ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex'), [400]],
  ['garbage', Buffer.from('00ff80deadbeef0d0a0d0a', 'hex'), [400]],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 505]],
  ['a method that the parser does not know', toLine('FOO / HTTP/1.1'), [400]],
  ['MKCOL', toLine('MKCOL / HTTP/1.1'), [501]],
  ['PURGE', toLine('PURGE /nowhere HTTP/1.1'), [501]],
  ['M-SEARCH', toLine('M-SEARCH /mirror/status/200 HTTP/1.1'), [501]],
  ['a method in lower case', toLine('get / HTTP/1.1'), [400, 501]],
  ['a method of mixed case', toLine('Get / HTTP/1.1'), [400, 501]],
  ['a method that is not a token', toLine('G<T / HTTP/1.1'), [400, 501]],
  ['a method of 1,000 letters', toLine(`${'A'.repeat(1000)} / HTTP/1.1`), [400, 501]],
  ['no method', toLine(' / HTTP/1.1'), [400]],
  ['no target', toLine('GET  HTTP/1.1'), [400]],
  ['no version', toLine('GET /health'), [200, 400, 505]],
  ['HTTP/9.9', toLine('GET / HTTP/9.9'), [400, 505]],
  ['HTTP/1.2', toLine('GET /health HTTP/1.2'), [200, 400, 505]],
  ['HTTP/0.9', toLine('GET /health HTTP/0.9'), [200, 400, 505]],
  ['a version in lower case', toLine('GET / http/1.1'), [400]],
  ['a version without a point', toLine('GET / HTTP/11'), [400]],
  ['two spaces before the version', toLine('GET /health  HTTP/1.1'), [200, 400]],
  ['lines that end in LF alone', `GET /health HTTP/1.1\n${host}\n${close}\n\n`, [400]],
  [
    'lines that end in CR alone',
    `GET /health HTTP/1.1\r${host}\r${close}\r\r`,
    [400],
    { endsHalf: true },
  ],
  ['empty lines before the request', `\r\n\r\n${toGet('/health')}`, [200]],
  ['HTTP/1.0', toRequest('GET /health HTTP/1.0', [host]), [200]],
  ['HTTP/1.0 without a Host', toRequest('GET /health HTTP/1.0', []), [200]],
  ['raw UTF-8 in the path', Buffer.from(toGet('/café'), 'utf8'), [400]],
  ['raw UTF-8 in the query', Buffer.from(toGet('/mirror/query?a=é'), 'utf8'), [400]],
  ['a space in the target', toGet('/mirror/query?a=b c'), [400]],
  ['a control character in the target', toGet('/mirror/query?a=\x01'), [400]],
  ['a NUL in the target', toGet('/mirror/query?a=\0'), [400]],
  ['a tab in the target', toGet('/mirror/query?a=\t'), [400]],
  ['a target without a slash', toGet('health'), [400]],
  ['a target that is a question mark', toGet('?a=1'), [400]],
  ['a percent that encodes nothing', toGet('/users/%'), [400]],
  ['a percent-encoding that is not UTF-8', toGet('/users/%ff%fe'), [400]],
  ['an encoded NUL', toGet('/users/%00'), [400, 404]],
  ['an encoded surrogate', toGet('/users/%ed%a0%80'), [400]],
  ['a fragment', toGet('/health#frag'), [200, 400, 404]],
  ['a path with a dot segment', toGet('/../../etc/passwd'), [400, 404]],
  ['the absolute form', toGet('http://x/health'), [200]],
  ['the absolute form of another host', toGet('http://other.example/health'), [200, 400, 421]],
  ['the absolute form of nothing', toGet('http://'), [200, 400]],
  ['the absolute form of another scheme', toGet('ftp://x/health'), [400, 404]],
  ['the authority form', toGet('x:80'), [400]],
  ['two slashes before the path', toGet('//x/health'), [400, 404]],
  ['the asterisk with OPTIONS', toLine('OPTIONS * HTTP/1.1'), [204]],
  ['the asterisk with GET', toGet('*'), [400, 404, 405]],
  ['CONNECT', toRequest('CONNECT example.org:443 HTTP/1.1', ['Host: example.org:443']), [501]],
  ['CONNECT with a path', toLine('CONNECT /health HTTP/1.1'), [501]],
  ['TRACE', toLine('TRACE /health HTTP/1.1'), [405]],
  ['PROPFIND', toLine('PROPFIND /health HTTP/1.1'), [501]],
  ['QUERY', toLine('QUERY /health HTTP/1.1'), [400, 405, 501]],
]

/** HTTP/1.1 syntax with the version HTTP/2.0, which is invalid. */
export const versionTwoRows: readonly RawRow[] = [
  ['a GET of HTTP/2.0', toLine('GET / HTTP/2.0'), [400, 505]],
  ['a POST of HTTP/2.0', toLine('POST /mirror/field HTTP/2.0'), [400, 505]],
  ['a missing page of HTTP/2.0', toLine('GET /nowhere HTTP/2.0'), [400, 505]],
]

export const fieldRows: readonly RawRow[] = [
  ['no Host', toRequest('GET /health HTTP/1.1', [close]), [400]],
  ['two Host fields', toGet('/health', 'Host: y'), [400]],
  ['two Host fields that agree', toGet('/health', host), [400]],
  ['two Host fields of different case', toGet('/health', 'HOST: x'), [400]],
  ['an empty Host', toRequest('GET /health HTTP/1.1', ['Host:', close]), [400]],
  ...['a b', 'a/b', 'a@b', 'a?b', 'a#b', 'http://x', 'x:port', 'x:99999', '[::1', 'a"b', ':80'].map(
    (name): RawRow => [
      `the Host ${name}`,
      toRequest('GET /health HTTP/1.1', [`Host: ${name}`, close]),
      [400],
    ],
  ),
  ['a Host with a comma', toRequest('GET /health HTTP/1.1', ['Host: a,b', close]), [200, 400]],
  ['a space before the colon', toGet('/health', 'X : v'), [400]],
  ['a folded line', toGet('/health', 'X: a\r\n b'), [400]],
  ['a first line that is folded', `GET /health HTTP/1.1\r\n ${host}\r\n${close}\r\n\r\n`, [400]],
  ['a NUL in a value', toGet('/health', 'X: a\0b'), [400]],
  ['a CR in a value', toGet('/health', 'X: a\rb'), [400]],
  ['a LF alone between fields', toGet('/health', 'X: a\nY: b'), [400]],
  ['a name that is not a token', toGet('/health', 'X(y): v'), [400]],
  ['a name that is empty', toGet('/health', ': v'), [400]],
  ['a line without a colon', toGet('/health', 'nonsense'), [400]],
  ['a value that is empty', toGet('/health', 'X:'), [200]],
  ['a value of Latin-1', toGet('/health', 'X: \xe9'), [200]],
  ['a field called __proto__', toGet('/health', '__proto__: x'), [200]],
  ['a field called constructor', toGet('/health', 'constructor: x', 'toString: x'), [200]],
  ['an unknown expectation', toGet('/health', 'Expect: foo'), [417]],
  ['Expect: 100-continue without a body', toGet('/health', 'Expect: 100-continue'), [200, 417]],
  [
    'two Content-Type fields',
    toGet('/health', 'Content-Type: a/b', 'Content-Type: c/d'),
    [200, 400],
  ],
  ['an Accept of nonsense', toGet('/users', 'Accept: ;;;,,q=,/'), [200, 406]],
  ['an Accept of an unsupported type', toGet('/users', 'Accept: image/bogus'), [406]],
  [
    'an upgrade to WebSocket',
    toGet('/health', 'Connection: upgrade', 'Upgrade: websocket'),
    [200, 400],
  ],
  ['an upgrade to h2c', toGet('/health', 'Connection: upgrade', 'Upgrade: h2c'), [200, 400]],
  ['a Connection of nonsense', toGet('/health', 'Connection: ,,;=close'), [200, 400]],
  ['500 cookies of junk', toGet('/session', `Cookie: ${'=;a;%ff=%;'.repeat(500)}`), [302, 200]],
  ['a Cookie of a forged session', toGet('/session', `Cookie: session=${'A'.repeat(43)}`), [302]],
  ['two Cookie fields', toGet('/session', 'Cookie: session=a', 'Cookie: session=b'), [302]],
  ['a Range of nonsense', toGet('/topic.html', 'Range: bytes=--5-,x'), [200, 416]],
  ['1,000 ranges', toGet('/topic.html', `Range: bytes=${'0-1,'.repeat(1000)}0-1`), [200, 206, 416]],
  [
    'conditions of nonsense',
    toGet('/topic.html', 'If-None-Match: "', 'If-Modified-Since: x'),
    [200],
  ],
  ['an override of nonsense', toGet('/health', 'X-HTTP-Method-Override: \xff'), [200]],
  ['an override that is TRACE', toGet('/health', 'X-HTTP-Method-Override: TRACE'), [200]],
]
