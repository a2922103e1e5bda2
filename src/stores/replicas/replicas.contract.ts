import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { until } from '../../../test/support/until.ts'
import type { OpenReplicas, Replicas, ReplicaResponses } from './replicas.ts'

/** Opens the replicas of one process, which are closed when the test ends. */
export type OpenProcess = (t: TestContext) => Promise<OpenReplicas>

const echo = (question: string) => ({ question })
const nothing = { values: [], silent: 0 }

/** The behaviour of every backend of replicas. */
export function replicasContract(name: string, openProcess: OpenProcess): void {
  const open = async (t: TestContext, respond: (question: string) => unknown, topic = 'any') => {
    const replicas = (await openProcess(t))(topic, respond)
    t.after(replicas.close)
    await until(async () => (await replicas.ask('ready?')) !== undefined)
    return replicas
  }

  suite(`replicas with ${name}`, () => {
    test('a process that is alone gets no responses, not even its own', async (t) => {
      const one = await open(t, echo)
      assert.deepEqual(await one.ask('a'), nothing)
    })

    test('every other process responds to a question', async (t) => {
      const one = await open(t, () => 'one')
      const two = await open(t, () => Promise.resolve('two'))
      const three = await open(t, () => 'three')
      for (const [asker, expected] of [
        [one, ['three', 'two']],
        [two, ['one', 'three']],
        [three, ['one', 'two']],
      ] as const) {
        assert.deepEqual((await askAll(asker, 'a')).toSorted(), expected)
      }
    })

    test('questions and responses arrive unchanged', async (t) => {
      const one = await open(t, echo)
      await open(t, echo)
      for (const question of ['', ' a b ', '\0\r\n', '"}]', 'é\u2028😀', 'x'.repeat(100_000)]) {
        assert.deepEqual(await askAll(one, question), [{ question }])
      }
    })

    test('the responses to concurrent questions are not mixed', async (t) => {
      const one = await open(t, echo)
      const two = await open(t, echo)
      const questions = Array.from({ length: 50 }, (_, index) => String(index))
      const asked = questions.flatMap((question) => [askAll(one, question), askAll(two, question)])
      assert.deepEqual(
        await Promise.all(asked),
        questions.flatMap((question) => [[{ question }], [{ question }]]),
      )
    })

    test('processes that have opened another topic are not asked', async (t) => {
      const one = await open(t, echo, 'any')
      await open(t, assert.fail, 'other')
      assert.deepEqual(await one.ask('a'), nothing)
    })

    test('a process that fails, or has no response, is silent', async (t) => {
      const one = await open(t, echo)
      await open(t, () => Promise.reject(new Error('failed')))
      await open(t, () => null)
      assert.deepEqual(await one.ask('a'), { values: [], silent: 2 })
    })

    test('a process that does not respond is silent, and the others are not', async (t) => {
      const one = await open(t, echo)
      await open(t, () => new Promise(() => undefined))
      await open(t, echo)
      await until(async () => {
        const { values, silent } = await ask(one, 'a')
        return values.length === 1 && silent === 1
      })
    })

    test('a process that has closed is not asked and cannot ask', async (t) => {
      const one = await open(t, echo)
      const two = await open(t, echo)
      two.close()
      await until(async () => (await ask(one, 'a')).values.length === 0)
      assert.deepEqual(await one.ask('a'), nothing)
      assert.equal(await two.ask('a'), undefined)
    })
  })
}

async function ask(replicas: Replicas, question: string): Promise<ReplicaResponses> {
  return (await replicas.ask(question)) ?? assert.fail('cannot be asked')
}

/** Until all respond: a busy process may not do so in time. */
async function askAll(replicas: Replicas, question: string): Promise<readonly unknown[]> {
  let found = await ask(replicas, question)
  await until(async () => {
    if (found.silent > 0) found = await ask(replicas, question)
    return found.silent === 0
  })
  return found.values
}
