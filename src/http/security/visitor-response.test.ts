import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRedirectAllowed, toVisitorHeaders } from './visitor-response.ts'

const limits = {
  origin: 'http://vitrine.test:3000',
  cookiePath: '/httpbin',
  ownCookies: ['session', '__Host-session', 'flash'],
  allowedRedirectDomains: ['example.com', '*.example.org'],
}

const dropped: readonly (readonly [string, string])[] = [
  ['Set-Cookie', 'session=x; Path=/'],
  ['Set-Cookie', ' Session =x'],
  ['Set-Cookie', '__Host-session=x; Secure; Path=/'],
  ['Set-Cookie', 'flash=saved'],
  ['Set-Cookie', '=session=x'],
  ['Set-Cookie', 'session'],
  ['Location', 'http://other.example/'],
  ['Location', '//other.example'],
  ['Location', String.raw`/\other.example`],
  ['Location', 'http:other.example'],
  ['Location', 'https:other.example'],
  ['Location', 'javascript:alert(1)'],
  ['Location', String.raw`http://vitrine.test:3000\@other.example`],
  ['Refresh', '0; url=http://other.example/'],
  ['Refresh', '0;URL="//other.example"'],
  ['Refresh', '0, http://other.example/'],
  ['Refresh', '0 http://other.example/'],
  ['Refresh', "0;url=http://vitrine.test:3000'@other.example/"],
  ['Refresh', "0;url='http://vitrine.test:3000'@other.example/'"],
  ['Refresh', '0;"/get"/"//other.example"'],
  ['Strict-Transport-Security', 'max-age=1'],
  ['CONTENT-SECURITY-POLICY-Report-Only', 'x'],
  ['Access-Control-Allow-Origin', 'http://other.example'],
  ['Clear-Site-Data', '"*"'],
  ['Alt-Svc', 'h2="other.example:443"'],
  ['Service-Worker-Allowed', '/'],
  ['Content-Length', '3'],
  ['Transfer-Encoding', 'chunked'],
  ['Report-To', '{}'],
  ['TE', 'gzip'],
  ['HTTP2-Settings', 'AAMAAABk'],
  ['X-Accel-Redirect', '/internal'],
  ['X-LiteSpeed-Location', '/internal'],
  ['X-Envoy-Immediate-Health-Check-Fail', '1'],
  ['Fly-Replay', 'app=other'],
  ['Surrogate-Control', 'content="ESI/1.0"'],
  ...[
    ...['No-Vary-Search', 'Set-Cookie2', 'Accept-CH-Lifetime', 'Sec-Session-Challenge'],
    ...['Secure-Session-Challenge', 'Shared-Storage-Write', 'Activate-Storage-Access'],
    ...['Attribution-Reporting-Register-Source', 'Speculation-Rules', 'Origin-Agent-Cluster'],
    ...['X-Reproxy-URL', 'X-REPROXY-Expected-Size', 'X-Varnish-TTL', 'X-Cache-TTL', 'X-TTL'],
    ...['X-Cache-Key', 'X-Cache-Tags', 'Cache-Tag', 'Netlify-Cache-Tag', 'Netlify-Vary', 'xkey'],
    ...['Cache-Groups', 'Cache-Group-Invalidation', 'X-Do-ESI', 'X-ESI', 'X-Cascade'],
    ...['Edge-Control', 'Edge-Cache-Tag', 'Surrogate-Key', 'CF-Edge-Cache', 'Fly-Replay-Src'],
    ...['X-Sendfile', 'X-Sendfile2', 'X-LIGHTTPD-send-file', 'X-Accel-Expires', 'X-Archive-Files'],
    ...['LSC-Cookie', 'X-LiteSpeed-Purge', 'X-Fastly-Key', 'X-Akamai-Edgescape', 'X-Purge'],
    ...['X-Middleware-Rewrite', 'X-AppEngine-BlobKey', 'X-Magento-Tags'],
  ].map((name) => [name, '1'] as const),
  ['\u{212a}ept', 'a name with a Kelvin sign, whose lower case is k'],
  ['Timing-Allow-Origin', '*'],
  ['Server-Timing', 'exchange;desc="../httpbin/html"'],
]

for (const [name, value] of dropped) {
  test(`a visitor cannot send ${name}: ${value}`, () => {
    const { 'content-security-policy': policy, ...rest } = toVisitorHeaders([[name, value]], limits)
    assert.equal(policy, 'sandbox')
    const names = /^[\w-]+$/.test(name) ? { 'vitrine-dropped-headers': name.toLowerCase() } : {}
    assert.deepEqual(rest, { 'x-content-type-options': 'nosniff', ...names })
  })
}

const kept: readonly (readonly [string, string, string?])[] = [
  ['Set-Cookie', 'a=session; Path=/; HttpOnly', 'a=session; Path=/httpbin; HttpOnly'],
  ['Set-Cookie', 'a=1; Domain=vitrine.test; Max-Age=1', 'a=1; Max-Age=1; Path=/httpbin'],
  ['Set-Cookie', 'a=1; Path=/x; path=/httpbin/get ', 'a=1; Path=/httpbin/get'],
  ['Set-Cookie', 'a=1; Path=/httpbin/get; Path=/httpbins', 'a=1; Path=/httpbin'],
  ['Location', '/get'],
  ['Location', 'get'],
  ['Location', 'http://vitrine.test:3000/x'],
  ['Location', 'https://example.com/x'],
  ['Location', 'https://a.example.org/x'],
  ['Refresh', '5'],
  ['Refresh', '0; url=/get'],
  ['Refresh', '0;url="/get"'],
  ['Content-Type', 'text/html'],
  ['Content-Type', 'text/javascript; charset=utf-8', 'text/plain'],
  ['Content-Type', 'text/css', 'text/plain'],
  ['Content-Type', 'Multipart/X-Mixed-Replace; boundary=a', 'text/plain'],
  ['Content-Type', 'multipart/byteranges; boundary=a'],
  ['X-Any', 'thing'],
  ...['X-Cache', 'X-Keys', 'X-Total', 'Cache-Control', 'CDN-Cache-Control', 'Cache-Status'].map(
    (name) => [name, 'a'] as const,
  ),
  ['Fastly-CDN-Cache-Control', 'max-age=1'],
  ['X-RateLimit-Limit', '1'],
  ['X-Accelerated', '1'],
]

for (const [name, value, expected = value] of kept) {
  test(`a visitor can send ${name}: ${value}`, () => {
    assert.equal(toVisitorHeaders([[name, value]], limits)[name.toLowerCase()], expected)
  })
}

for (const [name, ...values] of [
  ['Content-Type', 'application/json', 'text/html'],
  ['Location', 'http://vitrine.test:3000', '@other.example'],
  ['Refresh', '0; url=/get', '5'],
] as const) {
  test(`the last of several values of ${name} is the only one`, () => {
    const pairs = values.map((value) => [name, value] as const)
    assert.equal(toVisitorHeaders(pairs, limits)[name.toLowerCase()], values.at(-1))
  })
}

test('names of members of every object are names like others', () => {
  const pairs = [
    ['Constructor', 'a'],
    ['__proto__', 'b'],
  ] as const
  const { constructor, ...rest } = toVisitorHeaders(pairs, limits)
  assert.equal(constructor, 'a')
  assert.deepEqual(Object.keys(rest), ['content-security-policy', 'x-content-type-options'])
})

test('* allows redirects to any host', () => {
  const anywhere = { origin: limits.origin, allowedRedirectDomains: ['*'] }
  assert.ok(isRedirectAllowed('//other.example', anywhere))
})
