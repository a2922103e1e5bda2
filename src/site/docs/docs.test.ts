import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import type { OpenApiDocument } from '../../http/openapi/document.ts'
import { testApp } from '../../../test/test-app.ts'

suite('the document', () => {
  test('is kept by a client until it changes', async (t) => {
    const app = await testApp(t)
    for (const url of ['/openapi.json', '/docs']) {
      const { headers } = await app.inject(url)
      assert.equal(headers['cache-control'], 'private, no-cache', url)
      const again = { url, headers: { 'if-none-match': String(headers.etag) } }
      assert.equal((await app.inject(again)).statusCode, 304, url)
    }
  })

  test('is OpenAPI 3.1, relative to where it is', async (t) => {
    const app = await testApp(t)
    const answer = await app.inject('/openapi.json')
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    const { openapi, servers } = answer.json<OpenApiDocument>()
    assert.match(openapi, /^3\.1\.\d+$/)
    assert.deepEqual(servers, [{ url: '/' }])
  })

  test('has the rooms that are mounted and no others', async (t) => {
    const app = await testApp(t, { settings: { DEMOS: 'topic' } })
    const { tags, paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
    assert.deepEqual(
      tags.map(({ name }) => name),
      ['topic', 'vitrine'],
    )
    assert.ok(paths['/topic'])
    assert.equal(paths['/users'], undefined)
  })

  test('tells what the limits of the service refuse, where there are any', async (t) => {
    const settings = { RATE_LIMIT: '100', MAX_EVENT_LOOP_DELAY_MS: '60000' }
    for (const [limits, expected] of [
      [{}, [false, false]],
      [settings, [true, true]],
    ] as const) {
      const app = await testApp(t, { settings: limits })
      const { paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
      const { responses = {} } = paths['/topic']?.get ?? {}
      assert.deepEqual(['429' in responses, '503' in responses], expected)
      assert.equal('429' in (paths['/health']?.get?.responses ?? {}), false)
    }
  })

  test('tells the refusals of a room that shapes them itself', async (t) => {
    const app = await testApp(t)
    const { paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
    const { 400: refusal } = paths['/api/json']?.get?.responses ?? {}
    assert.deepEqual(refusal, { $ref: '#/components/responses/BadRequestError' })
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
      body.match(/<code>curl [^<]*http:\/\/vitrine\.localhost:8080/g)?.length,
      operations.length,
    )
  })

  test('needs no inline script or style, and little to be sent', async (t) => {
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
