import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { OpenTwice } from '../records/commit.contract.ts'
import { createStates, type State, type States } from './states.ts'

const count = ({ requests = 0 }: State) => ({ requests: requests + 1 })
const numbers = Array.from({ length: 50 }, (_, index) => index + 1)

/** The behaviour of short-lived states on every backend of records. */
export function statesContract(name: string, openTwice: OpenTwice): void {
  suite(`states in ${name}`, () => {
    const open = async (t: TestContext, maxStates?: number): Promise<[States, States]> => {
      const [one, other] = await openTwice(t)
      return [
        createStates(one.collection('any'), maxStates),
        createStates(other.collection('any'), maxStates),
      ]
    }

    test('a state is found as it was changed, and is removed', async (t) => {
      const [states] = await open(t)
      assert.equal(await states.find('a'), undefined)
      assert.deepEqual(await states.update('a', count), { requests: 1 })
      assert.deepEqual((await states.find('a'))?.state, { requests: 1 })
      assert.equal(await states.find('b'), undefined)
      assert.equal(await states.remove('a'), true)
      assert.equal(await states.remove('a'), false)
      assert.deepEqual(await states.update('a', count), { requests: 1 })
    })

    test('a key and the names of a state can be any text', async (t) => {
      const [states, others] = await open(t)
      for (const key of ['', '__proto__', 'a b/é\0', 'x'.repeat(10_000)]) {
        await states.update(key, () => ({ __proto: 1, 'é "~$.': 0.5, '': -1 }))
        const { state } = (await others.find(key)) ?? assert.fail('it is gone')
        assert.deepEqual(state, { __proto: 1, 'é "~$.': 0.5, '': -1 })
      }
    })

    test('of a hundred changes by two processes at once, none is lost', async (t) => {
      const stores = await open(t)
      const results = await Promise.all(
        numbers.flatMap(() => stores.map((states) => states.update('a', count))),
      )
      const requests = results.map((state) => state.requests).toSorted((a, b) => a - b)
      assert.deepEqual(requests, [...numbers, ...numbers.map((number) => number + 50)])
      assert.deepEqual((await stores[0].find('a'))?.state, { requests: 100 })
    })

    test('a change that fails changes nothing, and the next one succeeds', async (t) => {
      const [states] = await open(t)
      const failing = states.update('a', () => {
        throw new Error('no')
      })
      const next = states.update('a', count)
      await assert.rejects(failing, /no/)
      assert.deepEqual(await next, { requests: 1 })
    })

    test('a state expires ten minutes after its last change', async (t) => {
      const start = Date.UTC(2026, 0, 1, 12)
      t.mock.timers.enable({ apis: ['Date'], now: start })
      const [states, others] = await open(t)
      await states.update('a', count)
      t.mock.timers.setTime(start + 599_999)
      assert.deepEqual(await states.update('a', count), { requests: 2 })
      const expiresAt = new Date(start + 599_999 + 600_000).toISOString()
      assert.deepEqual(await others.find('a'), { state: { requests: 2 }, expiresAt })
      t.mock.timers.setTime(start + 599_999 + 600_000)
      assert.equal(await others.find('a'), undefined)
      assert.deepEqual(await others.update('a', count), { requests: 1 })
    })

    test('a sweep removes the expired states and no others', async (t) => {
      const start = Date.UTC(2026, 0, 1, 12)
      t.mock.timers.enable({ apis: ['Date'], now: start })
      const [records] = await openTwice(t)
      const states = createStates(records.collection('any'))
      for (const number of numbers) await states.update(String(number), count)
      t.mock.timers.setTime(start + 1)
      await states.update('1', count)
      await states.sweep(new Date(start + 600_000).toISOString())
      assert.equal(await records.collection('any').count(), 1)
      assert.deepEqual((await states.find('1'))?.state, { requests: 2 })
    })

    test('a flood of keys removes the oldest states, whichever process adds them', async (t) => {
      const start = Date.UTC(2026, 0, 1, 12)
      t.mock.timers.enable({ apis: ['Date'], now: start })
      const stores = await open(t, 20)
      await stores[0].update('old', count)
      await stores[0].update('used', count)
      for (const [turn, number] of numbers.entries()) {
        t.mock.timers.setTime(start + number)
        await stores[turn % 2]?.update(String(number), count)
        await stores[1].update('used', count)
      }
      assert.equal(await stores[0].find('old'), undefined)
      assert.deepEqual((await stores[0].find('used'))?.state, { requests: 51 })
      assert.deepEqual((await stores[0].find('50'))?.state, { requests: 1 })
      assert.equal(await stores[0].clear(), 20)
    })

    test('after a concurrent flood, the next state removes the excess', async (t) => {
      const stores = await open(t, 20)
      await Promise.all(
        numbers.flatMap((number) =>
          stores.map((states, index) => states.update(`${String(index)} ${String(number)}`, count)),
        ),
      )
      await stores[0].update('last', count)
      assert.deepEqual((await stores[1].find('last'))?.state, { requests: 1 })
      assert.equal(await stores[0].clear(), 20)
    })
  })
}
