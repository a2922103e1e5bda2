import { toGet, toRequest } from '../support/watched-vitrine.ts'
import type { RawRow } from './raw-request-rows.ts'

const host = 'Host: x'
const close = 'Connection: close'

function toPost(fields: readonly string[], content: string): string {
  const json = ['Content-Type: application/json', close]
  return toRequest('POST /places HTTP/1.1', [host, ...json, ...fields], content)
}

/** A form that is echoed, so that the parsed body is visible. */
function toForm(fields: readonly string[], content: string): string {
  const form = ['Content-Type: application/x-www-form-urlencoded', close]
  return toRequest('POST /mirror/field HTTP/1.1', [host, ...form, ...fields], content)
}

const chunked = 'Transfer-Encoding: chunked'
const smuggled = toRequest('POST /places HTTP/1.1', [host, 'Content-Length: 14'], '{"name":"bad"}')

export const framingRows: readonly RawRow[] = [
  [
    'Transfer-Encoding beside Content-Length',
    toPost(['Content-Length: 5', chunked], `0\r\n\r\n${smuggled}`),
    [400],
  ],
  [
    'Content-Length beside Transfer-Encoding',
    toPost([chunked, 'Content-Length: 5'], `0\r\n\r\n${smuggled}`),
    [400],
  ],
  ['two lengths', toPost(['Content-Length: 0', 'Content-Length: 2'], '{}'), [400]],
  ['two lengths that agree', toPost(['Content-Length: 2', 'Content-Length: 2'], '{}'), [400, 422]],
  ...['-1', '+5', '0x2', '2 2', '2, 2', '2,2', '1e1', '', '٢', '99999999999999999999999'].map(
    (length): RawRow => [
      `the length "${length}"`,
      toPost([`Content-Length: ${length}`], '{}'),
      [400, 413],
    ],
  ),
  ...[
    'xchunked',
    'chunked, identity',
    'identity',
    'gzip',
    'chunked, chunked',
    'chunked;x=y',
    '\x0bchunked',
    '"chunked"',
    '',
  ].map((coding): RawRow => [
    `the transfer coding "${coding}"`,
    toPost([`Transfer-Encoding: ${coding}`], `0\r\n\r\n${smuggled}`),
    [400, 501],
    { endsHalf: true },
  ]),
  [
    'two Transfer-Encoding fields',
    toPost([chunked, 'Transfer-Encoding: identity'], `0\r\n\r\n${smuggled}`),
    [400, 501],
    { endsHalf: true },
  ],
  [
    'gzip, chunked',
    toPost(['Transfer-Encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n'),
    [400, 501],
  ],
  ['a coding in capitals', toForm(['Transfer-Encoding: CHUNKED'], '3\r\na=1\r\n0\r\n\r\n'), [200]],
  ['chunks over HTTP/1.0', toPost([chunked], '2\r\n{}\r\n0\r\n\r\n').replace('1.1', '1.0'), [400]],
  [
    'chunks over HTTP/1.0 with Connection: keep-alive',
    toForm([chunked], '3\r\na=1\r\n0\r\n\r\n')
      .replace('1.1', '1.0')
      .replace('Connection: close', 'Connection: keep-alive'),
    [400],
  ],
  ...['g', '-2', '0x2', '2 ', ' 2', '+2', 'fffffffffffffffff', '', '2;'].map((size): RawRow => [
    `the chunk size "${size}"`,
    toPost([chunked], `${size}\r\n{}\r\n0\r\n\r\n`),
    [400, 413],
    { endsHalf: true },
  ]),
  ['a chunk longer than its size', toPost([chunked], '1\r\n{}\r\n0\r\n\r\n'), [400]],
  [
    'a chunk shorter than its size',
    toPost([chunked], '5\r\n{}\r\n0\r\n\r\n'),
    [400],
    { endsHalf: true },
  ],
  ['chunks that end in LF alone', toPost([chunked], '2\n{}\n0\n\n'), [400]],
  ['a LF alone after a chunk', toPost([chunked], '2\r\n{}\n0\r\n\r\n'), [400]],
  ['no last chunk', toPost([chunked], '2\r\n{}\r\n'), [400], { endsHalf: true }],
  ['a chunk extension', toForm([chunked], '3;x="y"\r\na=1\r\n0;z\r\n\r\n'), [200]],
  ['a chunk extension with a LF', toPost([chunked], '2;a\nb\r\n{}\r\n0\r\n\r\n'), [400]],
  ['a trailer', toForm([chunked], '3\r\na=1\r\n0\r\nX: y\r\n\r\n'), [200]],
  ['a trailer called __proto__', toForm([chunked], '3\r\na=1\r\n0\r\n__proto__: y\r\n\r\n'), [200]],
  [
    'a trailer that is a length',
    toForm([chunked], '3\r\na=1\r\n0\r\nContent-Length: 9\r\n\r\n'),
    [200, 400],
  ],
  [
    'a body shorter than its length',
    toPost(['Content-Length: 50'], '{"name":"x"}'),
    [400],
    { endsHalf: true },
  ],
  ['no body despite a length', toPost(['Content-Length: 50'], ''), [400], { endsHalf: true }],
  ['headers that are cut off', `GET /health HTTP/1.1\r\n${host}\r\n`, [400], { endsHalf: true }],
  ['a request line that is cut off', 'GET /hea', [400], { endsHalf: true }],
  [
    'a GET with a body',
    toRequest('GET /health HTTP/1.1', [host, close, 'Content-Length: 3'], 'abc'),
    [200, 400],
  ],
  [
    'a HEAD with a body',
    toRequest('HEAD /health HTTP/1.1', [host, close, 'Content-Length: 2'], '{}'),
    [200],
  ],
]

export const tooLargeRows: readonly RawRow[] = [
  ['one field of 20 KB', toGet('/health', `X: ${'x'.repeat(20_000)}`), [431]],
  ['a cookie of 20 KB', toGet('/health', `Cookie: ${'x'.repeat(20_000)}`), [431]],
  ['a field name of 20 KB', toGet('/health', `${'x'.repeat(20_000)}: 1`), [431]],
  ['one field of 1 MB', toGet('/health', `X: ${'x'.repeat(1_000_000)}`), [431]],
  ['5,000 fields', toGet('/health', ...Array.from({ length: 5000 }, () => 'X: y')), [431]],
  [
    '1,000 short fields',
    toGet('/health', ...Array.from({ length: 1000 }, () => 'X: y')),
    [200, 431],
  ],
  [
    'a trailer of 20 KB',
    toForm([chunked], `3\r\na=1\r\n0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
    [200, 400, 431],
  ],
  ['a request target of just 8 KiB', toGet(`/mirror/query?a=${'x'.repeat(8 * 1024 - 16)}`), [200]],
  ['a request target of over 8 KiB', toGet(`/mirror/query?a=${'x'.repeat(8 * 1024)}`), [414]],
  ['a path of over 8 KiB', toGet(`/people/${'x'.repeat(9000)}`), [414]],
  ['a request target over the header limit', toGet(`/mirror/query?a=${'x'.repeat(20_000)}`), [431]],
  ['a request target of 1 MB', toGet(`/${'x'.repeat(1_000_000)}`), [431]],
  ['a path of 8,000 slashes', toGet('/'.repeat(8000)), [200, 400, 404]],
  ['a length of 10^14', toPost(['Content-Length: 100000000000000'], ''), [413]],
  [
    'a chunk of 10^12 bytes',
    toPost([chunked], `e8d4a51000\r\n${'x'.repeat(2_000_000)}`),
    [400, 413],
    { endsHalf: true },
  ],
  [
    'a chunk extension of 20 KB',
    toPost([chunked], `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
    [400, 413],
  ],
  [
    'extensions of 50 KB in all',
    toPost([chunked], `${`1;${'x'.repeat(1000)}\r\n \r\n`.repeat(50)}0\r\n\r\n`),
    [400, 413],
  ],
  [
    '2 MB in chunks of one byte',
    toPost([chunked], `${'1\r\n \r\n'.repeat(2_000_000)}0\r\n\r\n`),
    [400],
    { endsHalf: true },
  ],
]

/** Messages of several requests, and the status codes of their responses. */
export const pipelinedRows: readonly [
  what: string,
  message: string,
  expected: readonly number[],
][] = [
  [
    'two requests at once',
    toRequest('GET /health HTTP/1.1', [host]) + toGet('/nowhere'),
    [200, 404],
  ],
  [
    'an error before a success',
    toRequest('GET /nowhere HTTP/1.1', [host]) + toGet('/health'),
    [404, 200],
  ],
  [
    'a form, a chunked form, a HEAD and a GET',
    toForm(['Content-Length: 3'], 'a=1').replace(`${close}\r\n`, '') +
      toForm([chunked], '3\r\na=1\r\n0\r\n\r\n').replace(`${close}\r\n`, '') +
      toRequest('HEAD /health HTTP/1.1', [host]) +
      toGet('/health'),
    [200, 200, 200, 200],
  ],
  [
    'garbage after the last chunk',
    `${toForm([chunked], '3\r\na=1\r\n0\r\n\r\n').replace(`${close}\r\n`, '')}garbage\r\n\r\n`,
    [200, 400],
  ],
  [
    'garbage after a body',
    `${toForm(['Content-Length: 3'], 'a=1').replace(`${close}\r\n`, '')}garbage\r\n\r\n`,
    [200, 400],
  ],
  [
    'garbage after chunks that are not read',
    `${toRequest('POST /nowhere HTTP/1.1', [host, 'Content-Type: image/png', chunked], '3\r\na=1\r\n0\r\n\r\n')}garbage\r\n\r\n`,
    [404, 400],
  ],
  ['a request after Connection: close', toGet('/health') + toGet('/nowhere'), [200]],
  [
    'a request after a body of an unsupported type',
    toPost(['Content-Length: 2'], 'xx')
      .replace(`${close}\r\n`, '')
      .replace('application/json', 'image/png') + toGet('/health'),
    [415, 200],
  ],
  [
    'a request after a form with Connection: close',
    toForm(['Content-Length: 3'], 'a=1') + toGet('/nowhere'),
    [200],
  ],
]
