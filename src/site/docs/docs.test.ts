import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import type { OpenApiDocument } from '../../http/openapi/document.ts'
import { testApp } from '../../../test/test-app.ts'

suite('the document', () => {
  test('can be revalidated by a client', async (t) => {
    const app = await testApp(t)
    for (const url of ['/openapi.json', '/docs']) {
      await t.test(url, async () => {
        const { headers } = await app.inject(url)
        assert.equal(headers['cache-control'], 'private, no-cache')
        const again = { url, headers: { 'if-none-match': String(headers.etag) } }
        assert.equal((await app.inject(again)).statusCode, 304)
      })
    }
  })

  test('is OpenAPI 3.1, with a relative server URL', async (t) => {
    const app = await testApp(t)
    const response = await app.inject('/openapi.json')
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    const { openapi, servers } = response.json<OpenApiDocument>()
    assert.match(openapi, /^3\.1\.\d+$/)
    assert.deepEqual(servers, [{ url: '/' }])
  })

  test('names a host with any characters as it was sent', async (t) => {
    const app = await testApp(t)
    // In a replacement text, $' stands for all that follows.
    for (const host of ["a$'.localhost", 'a$&.localhost', 'a$$.localhost']) {
      await t.test(host, async () => {
        const { body } = await app.inject({ url: '/openapi.json', headers: { host } })
        const plain = await app.inject('/openapi.json')
        const growth = (body.split(host).length - 1) * (host.length - 'localhost:80'.length)
        assert.equal(body.length - plain.body.length, growth)
        assert.ok(body.includes(`http://${host}/docs`))
      })
    }
  })

  test('names the host of the request in its commands, with quoted URLs', async (t) => {
    const app = await testApp(t)
    for (const url of ['/openapi.json', '/docs', '/inspector']) {
      await t.test(url, async () => {
        const headers = { host: 'localhost:4801' }
        const { body } = await app.inject({ url, headers })
        assert.match(body, /http:\/\/localhost:4801\/\S*/)
        assert.doesNotMatch(body, /localhost:3000|curl[^<`]* http:[^ '<`]*\?/)
      })
    }
  })

  test('lists the values of members that have few', async (t) => {
    const app = await testApp(t, { settings: { DEMOS: 'sessions' } })
    const { body } = await app.inject('/openapi.json')
    for (const values of [
      '"enum":["ok"]',
      '"enum":["no database","starting","draining"]',
      '"enum":["accept","default","suffix"]',
      '"const":0',
    ]) {
      await t.test(values, () => {
        assert.ok(body.includes(values))
      })
    }
  })

  test('has the open demos and no others', async (t) => {
    const app = await testApp(t, { settings: { DEMOS: 'user' } })
    const { tags, paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
    const names = tags.map(({ name }) => name)
    assert.deepEqual(names, ['user', 'vitrine'])
    assert.ok(paths['/user/create'])
    assert.equal(paths['/users'], undefined)
  })

  test('has the errors of the configured limits', async (t) => {
    const settings = { RATE_LIMIT: '100', MAX_EVENT_LOOP_DELAY_MS: '60000' }
    for (const [limits, expected] of [
      [{}, [false, false]],
      [settings, [true, true]],
    ] as const) {
      const app = await testApp(t, { settings: limits })
      const { paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
      const { responses = {} } = paths['/api/json']?.get ?? {}
      assert.deepEqual(['429' in responses, '503' in responses], expected)
      assert.equal('429' in (paths['/health']?.get?.responses ?? {}), false)
    }
  })

  test('has the errors of a demo with its own error shape', async (t) => {
    const app = await testApp(t)
    const { paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
    const { 400: error } = paths['/api/json']?.get?.responses ?? {}
    assert.deepEqual(error, { $ref: '#/components/responses/api-BadRequest' })
  })
})

suite('the page', () => {
  test('has every operation, with a command for it', async (t) => {
    const app = await testApp(t)
    const { paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
    const { body } = await app.inject({ url: '/docs', headers: { host: 'vitrine.localhost:8080' } })
    const operations = Object.values(paths).flatMap((ofPath) => Object.values(ofPath))
    assert.ok(operations.length > 50)
    for (const { operationId } of operations) assert.ok(body.includes(`id="${operationId}"`))
    assert.equal(
      body.match(/<pre><code>curl [^<]*http:\/\/vitrine\.localhost:8080/g)?.length,
      operations.length,
    )
  })

  test('needs no inline script or style, and is small', async (t) => {
    const app = await testApp(t)
    const { body } = await app.inject('/docs')
    assert.doesNotMatch(body, /<style|\sstyle=|\son\w+=|<script(?! src="\/assets\/)/)
    const parts = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)]
    const texts = [body]
    for (const [, url = ''] of parts) texts.push((await app.inject(url)).body)
    assert.ok(texts.length > 3)
    const size = texts.reduce((sum, text) => sum + brotliCompressSync(text).length, 0)
    assert.ok(size < 60 * 1024, String(size))
  })
})
