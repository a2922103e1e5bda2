import assert from 'node:assert/strict'
import { test } from 'node:test'
import { without } from '../../../test/support/resources.ts'
import { assertDocumented } from '../../../test/support/openapi/documented.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

test('every status code from 200 to 599 can be requested', async () => {
  const app = sharedApp()
  for (let code = 200; code <= 599; code += 1) {
    assert.equal((await app.inject(`/status/${String(code)}`)).statusCode, code)
  }
})

test('the body is a short text with the status code and its reason', async (t) => {
  const app = sharedApp()
  const cases: [code: string, pattern: RegExp][] = [
    ['200', /200 OK/],
    ['302', /302 Found/],
    ['403', /403 Forbidden/],
    ['404', /404 Not Found/],
    ['500', /500 Internal Server Error/],
    ['599', /599/],
  ]
  for (const [code, pattern] of cases) {
    await t.test(code, async () => {
      const response = await app.inject(`/status/${code}`)
      assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
      assert.match(response.body, pattern)
    })
  }
})

test('a status code has the headers that it requires', async (t) => {
  const app = sharedApp()
  const redirects = ['300', '301', '302', '303', '307', '308']
  const cases: [code: string, header: string, pattern: RegExp][] = [
    ...redirects.map((code): [string, string, RegExp] => [code, 'location', /^\//]),
    ['304', 'etag', /^"/],
    ['401', 'www-authenticate', /^\w+/],
    ['405', 'allow', /GET/],
    ['407', 'proxy-authenticate', /^\w+/],
    ['416', 'content-range', /^bytes \*\/\d+$/],
    ['426', 'upgrade', /./],
    ['429', 'retry-after', /^\d+$/],
    ['503', 'retry-after', /^\d+$/],
  ]
  for (const [code, header, pattern] of cases) {
    await t.test(`${code} ${header}`, async () => {
      assert.match(String((await app.inject(`/status/${code}`)).headers[header]), pattern)
    })
  }
})

test('a 401 opens no dialog in a browser', async () => {
  const app = sharedApp()
  assert.doesNotMatch(
    String((await app.inject('/status/401')).headers['www-authenticate']),
    /^(basic|digest|negotiate|ntlm)/i,
  )
})

test('a 206 has a Content-Range', async () => {
  const app = sharedApp()
  const response = await app.inject('/status/206')
  const size = response.rawPayload.length
  assert.equal(response.headers['content-range'], `bytes 0-${String(size - 1)}/${String(size)}`)
})

for (const [name, value] of [
  ['if-none-match', '*'],
  ['if-match', '"other"'],
  ['if-modified-since', new Date().toUTCString()],
  ['if-unmodified-since', 'Sun, 09 Sep 2001 01:46:40 GMT'],
] as const) {
  test(`${name} does not change the status code`, async () => {
    const app = sharedApp()
    for (const code of [200, 204, 404]) {
      const response = await app.inject({
        url: `/status/${String(code)}`,
        headers: { [name]: value },
      })
      assert.equal(response.statusCode, code)
    }
  })
}

test('a status code without required headers has none of them', async (t) => {
  const app = sharedApp()
  const response = await app.inject('/status/200')
  for (const header of ['location', 'www-authenticate', 'retry-after', 'content-range', 'allow']) {
    await t.test(header, () => {
      assert.equal(response.headers[header], undefined)
    })
  }
})

test('204, 205 and 304 have no body, with any method', async (t) => {
  const app = sharedApp()
  for (const code of ['204', '205', '304']) {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE'] as const) {
      await t.test(`${method} ${code}`, async () => {
        const response = await app.inject({ method, url: `/status/${code}` })
        assert.equal(String(response.statusCode), code)
        assert.equal(response.body, '')
        assert.equal(response.headers['content-type'], undefined)
      })
    }
  }
})

test('204 and 304 have no Content-Length, and 205 has none but 0', async (t) => {
  const app = sharedApp()
  for (const [code, length] of [
    ['204', undefined],
    ['205', '0'],
    ['304', undefined],
  ] as const) {
    await t.test(code, async () => {
      assert.equal((await app.inject(`/status/${code}`)).headers['content-length'], length)
    })
  }
})

test('any method gets the status code', async (t) => {
  const app = sharedApp()
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
  for (const method of methods) {
    for (const code of ['200', '404', '503']) {
      await t.test(`${method} ${code}`, async () => {
        const response = await app.inject({ method, url: `/status/${code}` })
        assert.equal(String(response.statusCode), code)
        assert.equal(response.body === '', method === 'HEAD')
      })
    }
  }
})

test('HEAD has the headers of GET', async (t) => {
  const app = sharedApp()
  for (const code of ['200', '302', '401', '503']) {
    await t.test(code, async () => {
      const get = await app.inject(`/status/${code}`)
      const head = await app.inject({ method: 'HEAD', url: `/status/${code}` })
      const ofTheMoment = ['date', 'server-timing', 'x-request-id']
      assert.deepEqual(without(head.headers, ...ofTheMoment), without(get.headers, ...ofTheMoment))
    })
  }
})

test('307 and 308 redirect to a URL that supports every method', async (t) => {
  const app = sharedApp()
  for (const code of ['307', '308']) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      await t.test(`${code} ${method}`, async () => {
        const { headers } = await app.inject({ method, url: `/status/${code}` })
        assert.equal((await app.inject({ method, url: String(headers.location) })).statusCode, 200)
      })
    }
  }
})

test('a trailing slash changes nothing', async () => {
  const app = sharedApp()
  assert.equal((await app.inject('/status/418/')).statusCode, 418)
})

test('a body of an unsupported media type is ignored', async () => {
  const app = sharedApp()
  const headers = { 'content-type': 'application/xml' }
  const url = '/status/403'
  const response = await app.inject({ method: 'POST', url, headers, payload: '<a/>' })
  assert.equal(response.statusCode, 403)
  const json = { 'content-type': 'application/json' }
  const bad = await app.inject({ method: 'POST', url: '/status/403', headers: json, payload: '{' })
  assert.equal(bad.statusCode, 403)
})

test('anything but a status code from 200 to 599 is not found, and the response names it', async (t) => {
  const app = sharedApp()
  const texts = ['0', '100', '199', '600', '999', '20', '2000', 'abc', '200.0', '+200', '-1', '2e2']
  for (const text of texts) {
    await t.test(text, async () => {
      const response = await app.inject(`/status/${text}`)
      assert.equal(response.statusCode, 404)
      assert.ok(response.body.includes(text))
    })
  }
})

test('/status alone is not found', async (t) => {
  const app = sharedApp()
  for (const url of ['/status', '/status/', '/status/200/more']) {
    await t.test(url, async () => {
      assert.equal((await app.inject(url)).statusCode, 404)
    })
  }
})

test('no response may be stored by a cache', async (t) => {
  const app = sharedApp()
  for (const code of ['200', '301', '404']) {
    await t.test(code, async () => {
      assert.equal((await app.inject(`/status/${code}`)).headers['cache-control'], 'no-store')
    })
  }
})

test('the responses are as documented', async () => {
  const app = sharedApp()
  await assertDocumented(app, { url: '/status/204' }, 204)
  await assertDocumented(app, { url: '/status/503' }, 503)
  await assertDocumented(app, { url: '/status/600' }, 404)
})

test('a browser gets a page that explains the status code and links back, other clients text', async (t) => {
  const app = sharedApp()
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const cases = [
    ['302', browser, 'text/html; charset=utf-8', /Location/],
    ['404', browser, 'text/html; charset=utf-8', /There is nothing at this URL/],
    ['500', 'text/html', 'text/html; charset=utf-8', /href="\/demos\/status"/],
    ['599', 'text/html', 'text/html; charset=utf-8', /the server failed/],
    ['206', browser, 'text/plain; charset=utf-8', /^206 Partial Content\n$/],
    ['404', '*/*', 'text/plain; charset=utf-8', /^404 Not Found\n$/],
    ['404', 'application/json, text/html;q=0.9', 'text/html; charset=utf-8', /404/],
    ['404', 'image/png', 'text/plain; charset=utf-8', /^404 Not Found\n$/],
  ] as const
  for (const [code, accept, type, pattern] of cases) {
    await t.test(`${code} ${accept}`, async () => {
      const response = await app.inject({ url: `/status/${code}`, headers: { accept } })
      assert.equal(String(response.statusCode), code)
      assert.equal(response.headers['content-type'], type)
      assert.match(response.body, pattern)
    })
  }
})

test('the documentation has an example for each class of status codes', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'status' } })
  const { body } = await app.inject('/docs/getStatusCode')
  const sections = [...body.matchAll(/<section class="response-doc">([^]*?)<\/section>/g)]
  const found = sections.map(([, section = '']) => [
    /([2-5])XX/.exec(section)?.[1],
    /Example(\d)\d\d /.exec(section.replaceAll(/<[^>]*>/g, ''))?.[1],
  ])
  assert.deepEqual(
    found,
    ['2', '3', '4', '5'].map((one) => [one, one]),
  )
})
