import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { makeCertificate } from '../support/tls-client.ts'
import { catalogueApp, testApp } from '../support/test-app.ts'
import { exchange } from './exchange.ts'

const prefixes = ['/httpbin', '/go-httpbin']

for (const prefix of prefixes) {
  test(`${prefix}: every response is sandboxed`, async (t) => {
    const app = await catalogueApp(t)
    for (const url of ['/get', '/nothing', '/post', '/status/418', '/anything/<script>']) {
      await t.test(url, async () => {
        const { headers } = await app.inject(prefix + encodeURI(url))
        assert.match(String(headers['content-security-policy']), /sandbox/)
        assert.equal(headers['x-content-type-options'], 'nosniff')
      })
    }
  })

  test(`${prefix}: a response for shared caches has no exchange id`, async (t) => {
    const app = await catalogueApp(t)
    for (const url of ['/cache/60', '/response-headers?Cache-Control=s-maxage%3D60']) {
      const { headers } = await app.inject({ url: prefix + url, headers: { accept: 'text/html' } })
      assert.match(String(headers['cache-control']), /max-?age=60/)
      assert.ok(!('server-timing' in headers) && !('x-request-id' in headers), url)
    }
  })

  test(`${prefix}: an echo has no cookie of the service`, async (t) => {
    const app = await catalogueApp(t)
    const cookie = 'a=1; session=secret; __Host-session=secret; b=2; flash=secret; inspector=secret'
    for (const url of ['/get', '/headers', '/anything', '/cookies', '/dump/request']) {
      await t.test(url, async () => {
        const { body } = await app.inject({ url: prefix + url, headers: { cookie } })
        assert.doesNotMatch(body, /secret/)
      })
    }
  })

  test(`${prefix}: no response sets a cookie of the service`, async (t) => {
    const app = await catalogueApp(t)
    const names = ['session', 'SESSION', '__Host-session', 'flash', 'inspector']
    const urls = names.flatMap((name) => [
      `/cookies/set?${name}=x&a=1`,
      `/cookies/delete?${name}&a`,
      `/response-headers?Set-Cookie=${name}%3Dx&set-cookie=a%3D1`,
    ])
    for (const url of urls) {
      await t.test(url, async () => {
        const { headers } = await app.inject(prefix + url)
        const cookies = [headers['set-cookie']].flat().map(String)
        assert.equal(cookies.length, 1)
        assert.match(cookies[0] ?? '', new RegExp(`^a=.*; Path=${prefix}(;|$)`))
      })
    }
  })

  test(`${prefix}: with PRESET=public, redirects lead to this host only`, async (t) => {
    const app = await catalogueApp(t, {
      settings: { PRESET: 'public', MAX_EVENT_LOOP_DELAY_MS: 'off' },
    })
    const targets = ['http://other.example/', '//other.example', 'http:other.example']
    for (const target of targets) {
      await t.test(target, async () => {
        const url = encodeURIComponent(target)
        const direct = await app.inject(`${prefix}/redirect-to?url=${url}`)
        assert.equal(direct.statusCode, 403)
        const given = await app.inject(
          `${prefix}/response-headers?Location=${url}&Refresh=0;${url}`,
        )
        for (const { headers } of [direct, given]) {
          assert.deepEqual([headers.location, headers.refresh], [undefined, undefined])
        }
      })
    }
    const own = await app.inject(
      `${prefix}/redirect-to?url=${encodeURIComponent('http://localhost/')}`,
    )
    assert.equal(own.statusCode, 302)
  })

  test(`${prefix}: over HTTP/2, headers that it forbids or that it has once do no harm`, async (t) => {
    const send = await openHttp2(t)
    for (const query of ['TE=gzip', 'HTTP2-Settings=x', 'Connection=close', 'Constructor=a']) {
      await t.test(query, async () => {
        const { status } = await send(`${prefix}/response-headers?${query}`)
        assert.equal(status, 200)
      })
    }
    const { headers } = await send(`${prefix}/response-headers?ETag=a&ETag=b&X-A=1&X-A=2`)
    assert.deepEqual([headers.etag, headers['x-a']], ['a, b', '1, 2'])
    const { trailers } = await send(`${prefix}/trailers?a=1&b=2&HTTP2-Settings=x&constructor=3`)
    assert.deepEqual(Object.fromEntries(Object.entries(trailers)), {
      a: '1',
      b: '2',
      constructor: '3',
    })
  })

  test(`${prefix}: a stream repeats any number of the request`, async (t) => {
    const app = await catalogueApp(t)
    const { body } = await app.inject(`${prefix}/stream/2?a=-0.123456789`)
    const ids = body
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id)
    assert.deepEqual(ids, [0, 1])
  })

  test(`${prefix}: a form has at most 10,000 fields`, async (t) => {
    const app = await catalogueApp(t)
    const post = (payload: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return app.inject({ method: 'POST', url: `${prefix}/post`, headers, payload })
    }
    const allowed = await post(`a${'&a'.repeat(9_999)}`)
    assert.equal(allowed.statusCode, 200)
    const tooMany = await post(`a${'&a'.repeat(10_000)}`)
    assert.equal(tooMany.statusCode, prefix === '/httpbin' ? 413 : 400)
  })

  test(`${prefix}: a multipart body has at most 1,000 parts`, async (t) => {
    const app = await catalogueApp(t)
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const post = (count: number) => {
      const part = '--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n'
      const payload = `${part.repeat(count)}--b--`
      return app.inject({ method: 'POST', url: `${prefix}/post`, headers, payload })
    }
    const allowed = await post(1000)
    assert.equal(allowed.json<{ form: { a: string[] } }>().form.a.length, 1000)
    const tooMany = await post(1001)
    assert.equal(tooMany.statusCode, prefix === '/httpbin' ? 413 : 400)
    const payload = `${'--b\r\n\r\n\r\n'.repeat(1001)}--b--`
    const nameless = await app.inject({ method: 'POST', url: `${prefix}/post`, headers, payload })
    // httpbin reads no further than the first part without Content-Disposition.
    assert.equal(nameless.statusCode, prefix === '/httpbin' ? 200 : 400)
  })

  test(`${prefix}: a multipart boundary has at most 70 characters`, async (t) => {
    const app = await catalogueApp(t)
    const post = (boundary: string) => {
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
      const part = 'Content-Disposition: form-data; name=a\r\n\r\n1\r\n'
      const payload = `--${boundary}\r\n${part}--${boundary}--`
      return app.inject({ method: 'POST', url: `${prefix}/post`, headers, payload })
    }
    const allowed = await post('b'.repeat(70))
    assert.match(allowed.body, /"a":/)
    const tooLong = await post('b'.repeat(71))
    assert.doesNotMatch(tooLong.body, /"a":/)
    assert.equal(tooLong.statusCode, prefix === '/httpbin' ? 200 : 400)
  })

  test(`${prefix}: members are sorted by code point`, async (t) => {
    const app = await catalogueApp(t)
    const headers = { 'content-type': 'application/json' }
    const payload = '{"\ufb01":1,"\ud83d\ude00":2,"z":3,"\ud7ff":4}'
    const { body } = await app.inject({ method: 'POST', url: `${prefix}/post`, headers, payload })
    const { json } = JSON.parse(body) as { json: object }
    assert.deepEqual(Object.keys(json), ['z', '\ud7ff', '\ufb01', '\u{1f600}'])
  })

  test(`${prefix}: JSON has at most 100,000 commas and opening brackets`, async (t) => {
    const app = await catalogueApp(t)
    const headers = { 'content-type': 'application/json' }
    const post = (count: number) => {
      const payload = `[1${',1'.repeat(count - 1)}]`
      return app.inject({ method: 'POST', url: `${prefix}/post`, headers, payload })
    }
    const allowed = await post(100_000)
    assert.equal(allowed.json<{ json: number[] }>().json.length, 100_000)
    const tooMany = await post(100_001)
    if (prefix === '/httpbin') assert.equal(tooMany.json<{ json: unknown }>().json, null)
    else assert.match(tooMany.body, /more than 100,000 values/)
  })

  test(`${prefix}: headers whose names differ in case are listed once`, async (t) => {
    const app = await catalogueApp(t)
    const names = Array.from({ length: 600 }, (_, index) => {
      const bits = index.toString(2).padStart(10, '0')
      return bits.replaceAll('0', 'a').replaceAll('1', 'A')
    })
    const { body } = await app.inject(`${prefix}/response-headers?${names.join('&')}`)
    assert.ok(body.length < 20_000)
  })

  test(`${prefix}: long headers that are almost valid take little time`, async (t) => {
    const app = await catalogueApp(t)
    const hostile = [
      { url: '/cookies', headers: { cookie: `a=${' '.repeat(100_000)}"` } },
      { url: '/cookies', headers: { cookie: String.raw`\"`.repeat(50_000) } },
      { url: '/range/100', headers: { range: `bytes=${' '.repeat(100_000)}x` } },
      { url: `/drip?duration=${'1'.repeat(8000)}x`, headers: {} },
      { url: '/digest-auth/auth/a/b', headers: { authorization: `Digest ${'a'.repeat(100_000)}` } },
    ]
    await app.inject(`${prefix}/cookies`)
    for (const { url, headers } of hostile) {
      const startedAt = process.cpuUsage()
      await app.inject({ url: prefix + url, headers })
      const { user } = process.cpuUsage(startedAt)
      // Work that grows with the square of the length takes many seconds.
      assert.ok(user < 2_000_000, `${url}: ${String(user)} µs`)
    }
  })

  test(`${prefix}: requests have no method override, and other sites may send them`, async (t) => {
    const app = await catalogueApp(t)
    const headers = {
      origin: 'http://other.example',
      'content-type': 'application/x-www-form-urlencoded',
      'x-http-method-override': 'DELETE',
    }
    const url = `${prefix}/post?_method=DELETE`
    const response = await app.inject({ method: 'POST', url, headers, payload: '_method=DELETE' })
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['access-control-allow-origin'], 'http://other.example')
  })

  test(`${prefix}: a body over the limit gets the error of the dialect`, async (t) => {
    const app = await catalogueApp(t, { settings: { MAX_BODY_BYTES: '10' } })
    const response = await app.inject({
      method: 'POST',
      url: `${prefix}/post`,
      payload: 'x'.repeat(11),
    })
    assert.equal(response.statusCode, prefix === '/httpbin' ? 413 : 400)
    assert.match(response.body, prefix === '/httpbin' ? /<h1>/ : /request body too large/)
  })

  test(`${prefix}: URLs in responses have the prefix`, async (t) => {
    const app = await catalogueApp(t)
    const { url } = (await app.inject(`${prefix}/get?a=1`)).json<{ url: string }>()
    assert.equal(url, `http://localhost:80${prefix}/get?a=1`)
    const { headers } = await app.inject(`${prefix}/status/302`)
    assert.equal(headers.location, `${prefix}/redirect/1`)
  })

  test(`${prefix}: // and .. are shown as sent`, async (t) => {
    const app = await catalogueApp(t, { settings: { ALLOWED_HOSTS: '*' } })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const path = `${prefix}/anything//a/../b/./c//`
    const { port } = new URL(app.listeningOrigin)
    const { body } = await exchange(Number(port), { line: `GET ${path}`, headers: [] })
    assert.match(body, new RegExp(`"url": "http://bin.test${path.replaceAll('.', '\\.')}"`))
  })
}

test('an algorithm with the name of a member of every object is unknown', async (t) => {
  const app = await catalogueApp(t)
  for (const name of ['constructor', '__proto__']) {
    const { statusCode } = await app.inject(`/httpbin/digest-auth/auth/a/b/${name}`)
    assert.equal(statusCode, 401)
  }
})

async function openHttp2(t: TestContext) {
  const app = await catalogueApp(t, { settings: await makeCertificate(t) })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const session = connect(origin, { rejectUnauthorized: false })
  t.after(() => {
    session.destroy()
  })
  return async (path: string) => {
    const stream = session.request({ ':path': path })
    const trailers: IncomingHttpHeaders = {}
    stream.on('trailers', (given: IncomingHttpHeaders) => Object.assign(trailers, given))
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
    const body = await text(stream)
    return { status: headers[':status'], headers, body, trailers }
  }
}

for (const name of ['httpbin', 'go-httpbin']) {
  test(`${name} alone is at the root and at its prefix, beside the pages of the service`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: name } })
    for (const url of [
      '/get',
      `/${name}/get`,
      '/anything/a',
      '/',
      '/health',
      '/docs',
      '/openapi.json',
    ]) {
      await t.test(url, async () => {
        assert.equal((await app.inject(url)).statusCode, 200)
      })
    }
    const cookie = 'session=mine'
    const { body } = await app.inject({ url: '/cookies', headers: { cookie } })
    assert.match(body, /"session": "mine"/)
  })
}
