import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { IdempotencyEntries, IdempotencyEntry } from './idempotency.ts'

/** Opens an empty store that is removed when the test ends. */
export type OpenEntries = (t: TestContext) => Promise<IdempotencyEntries>

const hash = 'a'.repeat(64)
const other = 'b'.repeat(64)

/** In the distant future, so that a store that expires entries itself still has them. */
const year = new Date().getUTCFullYear() + 1

/** The behaviour of every backend of stored responses. */
export function entriesContract(name: string, open: OpenEntries): void {
  suite(`responses in ${name}`, () => {
    test('a created claim is found unchanged, and others are not found', async (t) => {
      const responses = await open(t)
      assert.equal(await responses.create(hash, claimOf()), true)
      assert.deepEqual(await responses.find(hash), { ...claimOf(), version: 1 })
      for (const unknown of [other, 'A'.repeat(64), hash.slice(1), '', '__proto__']) {
        assert.equal(await responses.find(unknown), undefined, unknown)
      }
    })

    test('a response of any bytes is found unchanged', async (t) => {
      const responses = await open(t)
      const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64')
      const headers = { location: '/users/é', 'content-type': 'text/plain' }
      const response = { status: 201, headers, content }
      await responses.create(hash, claimOf())
      assert.equal(await responses.change(hash, 1, claimOf({ answer: response })), true)
      assert.deepEqual(await responses.find(hash), { ...claimOf({ answer: response }), version: 2 })
    })

    test('of twenty concurrent claims of one key, one succeeds', async (t) => {
      const responses = await open(t)
      const outcomes = await Promise.all(
        racers.map((racer) => responses.create(hash, claimOf({ recordId: String(racer) }))),
      )
      assert.equal(outcomes.filter(Boolean).length, 1)
      assert.equal((await responses.find(hash))?.recordId, String(outcomes.indexOf(true)))
    })

    test('of twenty concurrent changes of one version, one succeeds', async (t) => {
      const responses = await open(t)
      await responses.create(hash, claimOf())
      const outcomes = await Promise.all(
        racers.map((racer) => responses.change(hash, 1, claimOf({ leasedUntil: toTime(racer) }))),
      )
      assert.equal(outcomes.filter(Boolean).length, 1)
      const { leasedUntil, version } = (await responses.find(hash)) ?? assert.fail('it is gone')
      assert.deepEqual([leasedUntil, version], [toTime(outcomes.indexOf(true)), 2])
    })

    test('a change or removal of another version, or of nothing, does nothing', async (t) => {
      const responses = await open(t)
      await responses.create(hash, claimOf())
      const change = claimOf({ recordId: 'other' })
      const cases: [keyHash: string, version: number][] = [
        [hash, 0],
        [hash, 2],
        [other, 1],
      ]
      for (const [keyHash, version] of cases) {
        assert.equal(await responses.change(keyHash, version, change), false)
        assert.equal(await responses.remove(keyHash, version), false)
      }
      assert.deepEqual(await responses.find(hash), { ...claimOf(), version: 1 })
      assert.equal(await responses.find(other), undefined)
    })

    test('a removed claim is not found, and its key can be claimed again', async (t) => {
      const responses = await open(t)
      await responses.create(hash, claimOf())
      await responses.change(hash, 1, claimOf())
      assert.equal(await responses.remove(hash, 2), true)
      assert.equal(await responses.remove(hash, 2), false)
      assert.equal(await responses.find(hash), undefined)
      assert.equal(await responses.create(hash, claimOf({ recordId: 'again' })), true)
      assert.equal((await responses.find(hash))?.version, 1)
    })

    test('a clearing removes many claims, and counts them', async (t) => {
      const responses = await open(t)
      assert.equal(await responses.clear(), 0)
      for (const racer of racers) await responses.create(String(racer), claimOf())
      assert.equal(await responses.clear(), 20)
      for (const racer of racers) assert.equal(await responses.find(String(racer)), undefined)
      assert.equal(await responses.create('1', claimOf()), true)
    })

    test('a sweep removes many expired claims and nothing else', async (t) => {
      const responses = await open(t)
      const hashes = Array.from({ length: 350 }, (_, index) => `hash-${String(index)}`)
      for (const [index, keyHash] of hashes.entries()) {
        await responses.create(keyHash, claimOf({ expiresAt: toTime(index < 240 ? 30 : 31) }))
      }
      await responses.sweep(toTime(30))
      for (const [index, keyHash] of hashes.entries()) {
        assert.equal((await responses.find(keyHash)) !== undefined, index >= 240, keyHash)
      }
    })
  })
}

const racers = Array.from({ length: 20 }, (_, index) => index)

function claimOf(changes: Partial<IdempotencyEntry> = {}): IdempotencyEntry {
  const fingerprint = 'f'.repeat(64)
  return { fingerprint, recordId: 'ann', leasedUntil: toTime(1), expiresAt: toTime(59), ...changes }
}

function toTime(minute: number): string {
  return new Date(Date.UTC(year, 0, 1, 12, minute)).toISOString()
}
