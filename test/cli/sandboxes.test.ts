import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { asFile } from '../support/client.ts'
import { emptyService, openService, runFailing, runSucceeding } from '../support/data-folder.ts'
import { backends } from '../support/sandbox-backends.ts'

const keys = ['sandbox-of-ann-0001', 'sandbox-of-bob-0002']
const line = /^([\da-f]{12}) {2}(\S+Z) {2}(\S+Z) {2}(\S+Z) {2}(\d+) +(\d+)$/

for (const [backend, skip, toSettings] of backends)
  suite(`vitrine sandboxes on ${backend}`, { skip }, () => {
    test('lists, shows and deletes beside a running service', async (t) => {
      const services = await emptyService(t, await toSettings())
      const { send } = await openService(t, services)
      for (const key of keys) {
        const headers = { 'x-sandbox': key }
        const body = JSON.stringify({ name: 'Pier' })
        const created = await send('/locations', {
          method: 'POST',
          body,
          headers: { ...headers, 'content-type': 'application/json' },
        })
        assert.equal(created.status, 201)
      }
      const file = asFile(Buffer.alloc(5000), 'a.bin')
      await send(`/s/${String(keys[0])}/profile`, file)
      const [title = '', ...rows] = (await runSucceeding(services, 'sandboxes', 'list')).split('\n')
      assert.match(title, /^NAME +CREATED +LAST USE +END +RECORDS +BYTES$/)
      const listed = rows.map((row) => line.exec(row) ?? assert.fail(row))
      assert.deepEqual(
        listed.map(([, , created, used]) => String(created) <= String(used)),
        [true, true],
      )
      assert.deepEqual(listed.map((row) => row[5]).toSorted(), ['1', '2'])
      const ofAnn = listed.find((row) => Number(row[6]) > 5000)
      const name = ofAnn?.[1] ?? assert.fail(rows.join('\n'))
      const shown = await runSucceeding(services, 'sandboxes', 'show', name)
      assert.match(shown, new RegExp(`^Name: +${name}$`, 'm'))
      assert.match(shown, /^Created: +\S+Z by 127\.0\.0\.1$/m)
      assert.match(shown, /^Records: +1 location, 1 upload$/m)
      assert.match(shown, /^Size: +5,\d\d\d bytes with the uploads$/m)
      for (const key of keys) assert.ok(![title, ...rows, shown].join().includes(key))
      await runSucceeding(services, 'sandboxes', 'delete', name)
      const count = async (key = '') =>
        JSON.parse((await send(`/s/${key}/locations`)).text) as unknown[]
      assert.equal((await count(keys[0])).length, 0)
      assert.equal((await count(keys[1])).length, 1)
      const left = await runSucceeding(services, 'sandboxes', 'list')
      assert.equal(left.split('\n').length, 2)
      assert.equal(
        await runFailing(services, 'sandboxes', 'show', name),
        `vitrine: cannot read the sandboxes: there is no sandbox ${name}`,
      )
    })
  })

test('the list of a service without sandboxes has its title only', async (t) => {
  const services = await emptyService(t)
  assert.match(await runSucceeding(services, 'sandboxes', 'list'), /^NAME.*BYTES$/)
})

for (const args of [[], ['remove'], ['show'], ['delete', 'all'], ['list', 'a'], ['show', '../a']])
  test(`sandboxes does not take "${args.join(' ')}"`, async (t) => {
    const services = await emptyService(t)
    assert.equal(
      await runFailing(services, 'sandboxes', ...args),
      'vitrine: sandboxes requires list, show NAME or delete NAME, with a name of the list',
    )
  })
