import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import { catalogueApp, type TestApp } from '../support/test-app.ts'
import { findInvalid } from '../support/valid-html.ts'

test('the pages of every operation are valid, have samples, and are small', async (t) => {
  const app = await catalogueApp(t)
  const headers = { host: 'vitrine.localhost:8080' }
  const { body: overview } = await app.inject({ url: '/docs', headers })
  for (const { operationId, path, isRepeated } of await listOperations(app)) {
    await t.test(operationId, async () => {
      const url = `/docs/${operationId}`
      const { statusCode, body } = await app.inject({ url, headers })
      assert.equal(statusCode, 200)
      assert.ok((body.match(/http:\/\/vitrine\.localhost:8080/g)?.length ?? 0) >= 5)
      assert.doesNotMatch(body, /<style|\sstyle=|\son\w+=|<script(?![^>]* src="\/assets\/)/)
      assert.ok(Buffer.byteLength(body) < 60_000, String(body.length))
      for (const [, idsUrl = ''] of body.matchAll(/data-ids="([^"]+)"/g))
        assert.equal((await app.inject(idsUrl.replaceAll('&amp;', '&'))).statusCode, 200, idsUrl)
      const isFolded =
        isRepeated || /(users|locations|people|places|inspector|requests|\})\.\w+$/.test(path)
      // The crawl finds and checks the others.
      if (isFolded) assert.deepEqual(await findInvalid(body, url), [])
      assert.equal(overview.includes(`<li><a href="${url}"`), !isFolded)
    })
  }
})

async function listOperations(app: TestApp) {
  const { paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
  return Object.entries(paths).flatMap(([path, ofPath]) =>
    Object.values(ofPath).map(({ operationId, summary }, index, all) => {
      const isRepeated = all.findIndex((one) => one.summary === summary) < index
      return { operationId, path, isRepeated }
    }),
  )
}
