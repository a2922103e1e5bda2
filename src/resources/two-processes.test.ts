import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createRecord, samples, temporaryDatabase } from '../../test/support/resources.ts'
import { testApp } from '../../test/support/test-app.ts'

const accepts = ['application/json', 'text/html', 'text/plain']

/** Two independent apps with one database. */
async function openTwo(t: TestContext) {
  const settings = { DATABASE_URL: await temporaryDatabase(t) }
  return [await testApp(t, { settings }), await testApp(t, { settings })] as const
}

for (const { path, fields } of samples) {
  test(`a change of ${path} by another process is visible at once, however often it was read`, async (t) => {
    const [one, other] = await openTwo(t)
    const { _id } = await createRecord(one, path, fields)
    const url = `${path}/${_id}`
    for (const name of ['first', 'second', 'third']) {
      await t.test(name, async () => {
        for (const accept of accepts) {
          // Twice: the second may be read from the cache.
          await one.inject({ url, headers: { accept } })
          await one.inject({ url, headers: { accept } })
        }
        const { statusCode } = await other.inject({ method: 'PATCH', url, payload: { name } })
        assert.equal(statusCode, 200)
        for (const accept of accepts) {
          const shown = [
            await one.inject({ url, headers: { accept } }),
            await other.inject({ url, headers: { accept } }),
          ]
          for (const response of shown) assert.match(response.body, new RegExp(name))
          assert.equal(shown[0]?.headers.etag, shown[1]?.headers.etag)
        }
      })
    }
    await other.inject({ method: 'DELETE', url })
    assert.equal((await one.inject({ url })).statusCode, 404)
  })
}

for (const { path, fields } of samples) {
  for (const accept of [...accepts, 'text/csv', 'application/x-ndjson']) {
    test(`a page of ${path} as ${accept} has every change, by this process or another`, async (t) => {
      const [one, other] = await openTwo(t)
      const { _id } = await createRecord(one, path, fields)
      const read = async () => {
        const request = { url: `${path}?per_page=2`, headers: { accept } }
        // Twice: the second is the page that was sent before.
        const [first, again] = [await one.inject(request), await one.inject(request)]
        assert.deepEqual([again.body, again.headers.etag], [first.body, first.headers.etag])
        assert.equal(again.headers['x-total-count'], first.headers['x-total-count'])
        assert.equal(again.headers.link, first.headers.link)
        return again
      }
      const tags = new Set([(await read()).headers.etag])
      for (const [index, app] of [one, other, one, other].entries()) {
        const name = `name ${String(index)}`
        await app.inject({ method: 'PATCH', url: `${path}/${_id}`, payload: { name } })
        const { body, headers } = await read()
        assert.ok(body.includes(name))
        assert.equal(headers['x-total-count'], '1')
        tags.add(headers.etag)
      }
      for (const app of [one, other]) await createRecord(app, path, fields)
      const { headers } = await read()
      assert.equal(headers['x-total-count'], '3')
      assert.match(String(headers.link), /rel="next"/)
      assert.equal(tags.add(headers.etag).size, 6)
      await other.inject({ method: 'DELETE', url: `${path}/${_id}` })
      const last = await read()
      assert.equal(last.headers['x-total-count'], '2')
      const revalidated = { accept, 'if-none-match': String(last.headers.etag) }
      const { statusCode } = await one.inject({
        url: `${path}?per_page=2`,
        headers: revalidated,
      })
      assert.equal(statusCode, 304)
    })
  }
}

test('more records than the cache holds are each read correctly', async (t) => {
  const app = await testApp(t)
  const ids = Array.from({ length: 1100 }, (_, index) => `id-${String(index)}`)
  for (const id of ids) {
    const payload = { name: `Name ${id}`, latitude: 1, longitude: 2 }
    await app.inject({ method: 'PUT', url: `/places/${id}`, payload })
  }
  for (const id of [...ids, ...ids.slice(0, 20)]) {
    const shown = await app.inject({ url: `/places/${id}.json` })
    assert.equal(shown.json<{ name: string }>().name, `Name ${id}`)
  }
})
