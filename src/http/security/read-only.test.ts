import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asForm, createRecord } from '../../../test/support/resources.ts'
import { emptyDatabase } from '../../../test/support/empty-database.ts'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { catalogueApp } from '../../../test/support/test-app.ts'

test('with READ_ONLY every route that stores something gets 403, and nothing changes', async (t) => {
  const DATABASE_URL = await emptyDatabase(`sqlite:${await temporaryFolder(t)}/vitrine.db`)
  const { _id } = await createRecord(
    await catalogueApp(t, { settings: { DATABASE_URL } }),
    '/people',
    {
      name: 'Ada',
      password: 'secret',
    },
  )
  const app = await catalogueApp(t, { settings: { DATABASE_URL, READ_ONLY: 'on' } })
  const writes = app.declaredRoutes.filter(
    ({ method, store }) => store === 'writes' && method !== 'GET',
  )
  assert.ok(writes.length > 8)
  for (const { method, url } of writes) {
    const [name] = [method].flat()
    await t.test(`${String(name)} ${url}`, async () => {
      const path = url.replace(/:\w+(\(.*\))?/, _id)
      const response = await app.inject({ method: name as 'POST', url: path, ...asForm({ a: 1 }) })
      assert.equal(response.statusCode, 403)
      assert.match(response.body, /READ_ONLY/)
    })
  }
  assert.equal((await app.inject(`/people/${_id}`)).statusCode, 200)
  assert.equal(
    (await app.inject({ method: 'QUERY' as 'GET', url: '/people', ...asForm({}) })).statusCode,
    200,
  )
})
