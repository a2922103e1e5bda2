import type { LightMyRequestResponse } from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEverything } from '../support/every-url.ts'

/** Names and values of request headers, of which each could change a response. */
const sent: Readonly<Record<string, readonly string[]>> = {
  accept: [
    'text/html',
    'application/json',
    'text/plain',
    'text/csv',
    'application/x-ndjson',
    'application/vnd.api+json',
    'image/avif,image/webp,*/*',
    '',
  ],
  'accept-charset': ['iso-8859-1'],
  'accept-encoding': ['gzip', 'br', 'zstd', 'identity', 'gzip;q=0, *', ''],
  'accept-language': ['de', 'fr-CA'],
  'access-control-request-headers': ['x-a'],
  'access-control-request-method': ['DELETE'],
  authorization: ['Basic YTpi', 'Bearer abcdef'],
  'cache-control': ['no-cache', 'only-if-cached'],
  connection: ['close', 'x-inspector'],
  'content-type': ['application/json', 'text/html', 'text/'],
  'content-encoding': ['gzip'],
  cookie: [
    'session=x',
    'inspector=0123456789abcdef',
    'flash=saved',
    'lesson=my-lesson-abcdef',
    'theme=dark',
  ],
  dnt: ['1'],
  expect: ['100-continue'],
  forwarded: ['for=1.2.3.4;host=evil.example;proto=https'],
  'idempotency-key': ['"abc"'],
  'max-forwards': ['0'],
  origin: ['http://localhost:9', 'https://evil.example', 'null'],
  prefer: ['return=minimal', 'return=representation', 'handling=strict', 'respond-async', 'wait=1'],
  priority: ['u=0'],
  purpose: ['prefetch'],
  referer: ['http://localhost/', 'https://evil.example/'],
  'save-data': ['on'],
  'sec-ch-ua-mobile': ['?1'],
  'sec-fetch-dest': ['document', 'iframe', 'image', 'empty'],
  'sec-fetch-mode': ['navigate', 'cors'],
  'sec-fetch-site': ['cross-site', 'same-origin', 'none'],
  'sec-gpc': ['1'],
  'sec-purpose': ['prefetch'],
  te: ['trailers'],
  upgrade: ['h2c', 'websocket'],
  'upgrade-insecure-requests': ['1'],
  'user-agent': ['Mozilla/5.0 (X11) Firefox/140', 'Slackbot 1.0', ''],
  via: ['1.1 proxy'],
  'want-content-digest': ['sha-256=1', 'sha-512=3'],
  'want-repr-digest': ['sha-256=1', 'md5=9'],
  'x-forwarded-for': ['1.2.3.4'],
  'x-forwarded-host': ['evil.example'],
  'x-forwarded-port': ['99'],
  'x-forwarded-prefix': ['/evil'],
  'x-forwarded-proto': ['https'],
  'x-forwarded-scheme': ['https'],
  'x-host': ['evil.example'],
  'x-http-method': ['DELETE'],
  'x-http-method-override': ['HEAD', 'OPTIONS', 'POST'],
  'x-inspector': ['0123456789abcdef'],
  'x-method-override': ['HEAD'],
  'x-original-url': ['/nowhere'],
  'x-request-id': ['chosen'],
  'x-requested-with': ['XMLHttpRequest'],
  'x-rewrite-url': ['/nowhere'],
  'x-sandbox': ['0123456789abcdef'],
}

/** What differs between any two responses, and the part of a page that names its own exchange. */
const ofEach = ['date', 'ratelimit', 'x-request-id', 'server-timing', 'connection', 'keep-alive']

/** `isSame` is false for a page that differs each time, as by the key of its form. */
function toComparable({ statusCode, headers, rawPayload }: LightMyRequestResponse, isSame = true) {
  const ignored = isSame ? ofEach : [...ofEach, 'content-length', 'etag', 'set-cookie']
  const kept = Object.entries(headers).filter(([name]) => !ignored.includes(name))
  return JSON.stringify([statusCode, kept.toSorted(), isSame && rawPayload.toString('latin1')])
}

/** RFC 9111 §3, of a private cache too. A cache evaluates conditions and ranges itself. */
function isStorable({ statusCode, headers }: LightMyRequestResponse): boolean {
  return ![304, 206].includes(statusCode) && !/no-store/.test(String(headers['cache-control']))
}

function namesHeader(vary: unknown, name: string): boolean {
  return String(vary).toLowerCase().split(/, */).includes(name)
}

const forwarded = {
  PRESET: 'public',
  RATE_LIMIT: '1000000',
  LOGIN_LIMIT: '1000000',
  TRUSTED_PROXIES: '127.0.0.1',
  ALLOWED_HOSTS: '*',
}

for (const settings of [{}, forwarded]) {
  const mode = JSON.stringify(settings)
  test(`Vary names each request header that changes a stored response, with ${mode}`, async (t) => {
    const { app, urls } = await openEverything(t, settings)
    // The list of all exchanges changes with each request.
    for (const url of urls.filter((each) => !each.startsWith('/inspector'))) {
      await t.test(url, async () => {
        const [plain, again] = [await app.inject(url), await app.inject(url)]
        const isSame = toComparable(plain) === toComparable(again)
        const missing: string[] = []
        for (const [name, values] of Object.entries(sent)) {
          for (const value of values) {
            const changed = await app.inject({ url, headers: { [name]: value } })
            if (![plain, changed].every(isStorable)) continue
            if (toComparable(plain, isSame) === toComparable(changed, isSame)) continue
            if (namesHeader(changed.headers.vary, name)) continue
            missing.push(`${name}: ${value}`)
          }
        }
        assert.deepEqual(missing, [])
      })
    }
  })
}
