import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { createIdempotencyEntries } from '../idempotency/idempotency.ts'
import { isFull } from '../store-failure.ts'
import { createStates } from '../states/states.ts'
import { createDatabaseSessions } from '../sessions/database.ts'
import { sessionOf } from '../sessions/sessions.contract.ts'
import { allRecords, type Records, type WriteStep } from './records.ts'

/** Opens an empty store that takes so many records of each resource. */
export type OpenWithin = (t: TestContext, maxRecords: number) => Promise<Records>

const noon = '2026-01-01T12:00:00.000Z'

/** The behaviour of every backend of records with a limit on the records of a resource. */
export function capacityContract(name: string, open: OpenWithin): void {
  suite(`a limit on the records in ${name}`, () => {
    test('each resource stores as many records as allowed', async (t) => {
      const records = await open(t, 3)
      for (const resource of ['users', 'locations', '~answers']) {
        for (const id of ['a', 'b', 'c']) {
          assert.equal(await create(records, id, resource), true)
        }
        await assert.rejects(create(records, 'd', resource), isFull)
        assert.equal(await records.collection(resource).find('d'), undefined)
        assert.equal(await records.collection(resource).count(allRecords), 3)
      }
      await records.collection('users').remove('a')
      const counts = Object.fromEntries(await records.counts())
      assert.deepEqual(counts, { users: 2, locations: 3, '~answers': 3 })
    })

    test('at the limit only creating fails, and a removal frees space', async (t) => {
      const records = await open(t, 2)
      await Promise.all([create(records, 'a'), create(records, 'b')])
      await assert.rejects(create(records, 'c'), isFull)
      assert.equal(await create(records, 'a'), false)
      const change = { id: 'a', version: 1, document: { name: 'Ann' }, updatedAt: noon }
      assert.equal(await records.collection('users').change(change), true)
      assert.equal(await records.collection('users').remove('b'), true)
      assert.equal(await create(records, 'c'), true)
      await assert.rejects(create(records, 'd'), isFull)
    })

    test('of records that are created together all fit, or none is created', async (t) => {
      const records = await open(t, 3)
      const toStep = (...ids: string[]): WriteStep => ({
        collection: 'users',
        kind: 'create',
        records: ids.map((id) => ({ id, document: {}, createdAt: noon })),
      })
      await records.commit([toStep('a'), toStep('b')])
      await assert.rejects(records.commit([toStep('c', 'd')]), isFull)
      await assert.rejects(records.commit([toStep('c'), toStep('d')]), isFull)
      const [isLate] = await Promise.all([
        records.commit([toStep('c'), toStep('a')]),
        records.collection('users').remove('unknown'),
      ])
      assert.equal(isLate, 1)
      assert.equal(await records.collection('users').count(), 2)
      assert.equal(await records.commit([toStep('c')]), undefined)
    })

    test('expired sessions are removed for others', async (t) => {
      const sessions = createDatabaseSessions((await open(t, 2)).collection('any'))
      const past = new Date(Date.now() - 1).toISOString()
      await sessions.create('idle', sessionOf({ idleUntil: past }))
      await sessions.create('one', sessionOf())
      await sessions.create('other', sessionOf())
      assert.equal(await sessions.find('idle'), undefined)
      await assert.rejects(sessions.create('third', sessionOf()), isFull)
      assert.ok((await sessions.find('one')) && (await sessions.find('other')))
    })

    test('the oldest stored responses are removed for others, but not those of the last minute', async (t) => {
      const records = (await open(t, 3)).collection('any')
      const responses = createIdempotencyEntries(records)
      const claim = { fingerprint: '', recordId: 'a', leasedUntil: noon, expiresAt: '9999' }
      await records.create({ id: 'old', document: claim, createdAt: noon })
      await responses.create('young', claim)
      await responses.create('younger', claim)
      assert.equal(await responses.create('youngest', claim), true)
      assert.equal(await responses.find('old'), undefined)
      assert.equal(await responses.create('young', claim), false)
      await assert.rejects(responses.create('next', claim), isFull)
    })

    test('the oldest states are removed for others', async (t) => {
      t.mock.timers.enable({ apis: ['Date'] })
      const states = createStates((await open(t, 2)).collection('any'), 100)
      for (const key of ['a', 'b', 'c']) {
        await states.update(key, () => ({ requests: 1 }))
        t.mock.timers.tick(1)
      }
      assert.equal(await states.find('a'), undefined)
      assert.ok((await states.find('b')) && (await states.find('c')))
    })
  })
}

function create(records: Records, id: string, resource = 'users'): Promise<boolean> {
  return records.collection(resource).create({ id, document: { name: id }, createdAt: noon })
}
