import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { createProgress } from '../../src/cli/seed.ts'
import { asJson, listOf } from '../support/client.ts'
import { createSchema, openPostgresServer, withoutPostgres } from '../support/postgres-server.ts'
import {
  runSucceeding,
  emptyService,
  openService,
  runFailing,
  type TestService,
} from '../support/data-folder.ts'

interface Place {
  name: string
  latitude: number
  longitude: number
  note: string
}

/** While the service runs, which has shown the empty lists before. */
async function seedWhileOpen(t: TestContext, services: TestService) {
  const { send } = await openService(t, services)
  assert.deepEqual(await listOf(send, '/locations'), [])
  const output = await runSucceeding(services, 'seed', '230')
  const [, password = ''] = /^Added 230 users and 230 locations; .* "(.*)"$/m.exec(output) ?? []
  const locations = await listOf<Place>(send, '/locations')
  const users = await listOf<{ name: string }>(send, '/users')
  assert.deepEqual([locations.length, users.length], [230, 230])
  const username = users.at(-1)?.name
  assert.equal((await send('/login', asJson('POST', { username, password }))).status, 200)
  const { headers } = await send('/users?per_page=1&page=1')
  assert.match(String(headers.link), /page=230>; rel="last"/)
  return { locations, users, output }
}

test('a running service has the seeded records at once, and their password works', async (t) => {
  const { locations, output } = await seedWhileOpen(t, await emptyService(t))
  assert.equal(output.split('\n').filter((line) => line.includes('%')).length, 6, output)
  const names = new Set(locations.map(({ name }) => name))
  assert.ok(names.size > 150, `${String(names.size)} names`)
  for (const { name, latitude, longitude, note } of locations) {
    await t.test(`${name} ${note}`, () => {
      assert.match(name, /^\S.* \S.*, \p{Lu}/u)
      assert.match(note, /^\d\.\d km from the centre of /)
      assert.ok(Math.abs(latitude) < 70 && Math.abs(longitude) < 180)
    })
  }
})

test('the same number gives the same names, and more of them each time', async (t) => {
  const services = await emptyService(t)
  await runSucceeding(services, 'seed', '20')
  await runSucceeding(services, 'seed', '20')
  const { send } = await openService(t, services)
  for (const path of ['/locations', '/users']) {
    await t.test(path, async () => {
      const names = (await listOf<{ name: string }>(send, path)).map(({ name }) => name)
      assert.equal(names.length, 40)
      assert.deepEqual(names.slice(20).toSorted(), names.slice(0, 20).toSorted())
    })
  }
})

test('more records than MAX_RECORDS are rejected, and none is created', async (t) => {
  const services = await emptyService(t, { MAX_RECORDS: '50' })
  await runSucceeding(services, 'seed', '30')
  assert.match(
    await runFailing(services, 'seed', '21'),
    /cannot seed: MAX_RECORDS allows 50 users; 30 exist and 21 cannot be added$/,
  )
  await runSucceeding(services, 'seed', '20')
})

suite('on PostgreSQL', { skip: withoutPostgres }, () => {
  test('a running service is seeded and reset', async (t) => {
    const server = await openPostgresServer()
    t.after(() => server.remove())
    const services = await emptyService(t, { DATABASE_URL: await createSchema(server.url) })
    await seedWhileOpen(t, services)
    const { host, pathname } = new URL(server.url)
    const place = ` from postgres://${host}${pathname}`
    const [removed] = (await runSucceeding(services, 'reset')).split('\n')
    assert.equal(removed, `Removed 230 users, 230 locations, 1 session${place}`)
    const [nothing] = (await runSucceeding(services, 'reset')).split('\n')
    assert.equal(nothing, `There was nothing to remove${place}`)
  })
})

test('progress is a line for every tenth', () => {
  const lines: string[] = []
  const report = createProgress(1000, (line) => lines.push(line))
  for (const count of [0, 5, 10, 11, 500, 505, 511, 1000]) report(count)
  assert.deepEqual(lines, ['50 % (500 of 1,000)', '100 % (1,000 of 1,000)'])
})
