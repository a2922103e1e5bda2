import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEvents } from '../event-stream.ts'
import { until } from '../until.ts'
import { findWorkers, killWorker, openClients, patience, startWorkers } from './workers.ts'

test('an exchange can be shown, whichever worker handled it', patience, async (t) => {
  const { origin } = await startWorkers(t)
  const senders = openClients(t, origin)
  for (const send of senders) {
    const shown = await send('/api/json', { headers: { accept: 'text/html' } })
    const id = String(shown.headers['x-request-id'])
    const results = await Promise.all(senders.map((other) => other(`/inspector/${id}`)))
    assert.deepEqual(
      results.map(({ status, text }) => [status, text.includes('GET /api/json')]),
      senders.map(() => [200, true]),
    )
  }
  assert.equal((await senders[0]?.('/inspector/0'))?.status, 404)
})

test('a request id finds the exchanges of all workers', patience, async (t) => {
  const { origin } = await startWorkers(t)
  const senders = openClients(t, origin)
  const id = 'e5c1f1c4-2a0e-4bb8-8d47-6f0a2f6f9f11'
  const paths = senders.map((_, index) => `/user${String(index)}`)
  for (const [index, send] of senders.entries()) {
    await send(paths[index] ?? '', { headers: { accept: 'text/html', 'x-request-id': id } })
  }
  for (const send of senders) {
    const found = await send(`/inspector?request_id=${id}`, {
      headers: { accept: 'application/json' },
    })
    const { exchanges } = JSON.parse(found.text) as { exchanges: { target: string }[] }
    assert.deepEqual(
      exchanges.map(({ target }) => target),
      paths,
    )
  }
})

test(
  'the inspector lists, shows live and clears the exchanges of all workers',
  patience,
  async (t) => {
    const { origin } = await startWorkers(t)
    const stream = await openEvents(t, `${origin}/inspector/events?path=/user`)
    const senders = openClients(t, origin)
    const paths = senders.map((_, index) => `/user${String(index)}`)
    for (const [index, send] of senders.entries()) await send(paths[index] ?? '')
    const toTargets = (exchanges: readonly unknown[]) =>
      exchanges.map((exchange) => (exchange as { target: string }).target)
    const events = await stream.take(paths.length)
    assert.deepEqual(toTargets(events.map((event) => event?.value)).toSorted(), paths)
    const list = async (send: (typeof senders)[number]) => {
      const { text } = await send('/inspector?path=/user', {
        headers: { accept: 'application/json' },
      })
      return toTargets((JSON.parse(text) as { exchanges: unknown[] }).exchanges)
    }
    for (const send of senders) assert.deepEqual(await list(send), paths.toReversed())
    const cleared = await senders[0]?.('/inspector', { method: 'DELETE' })
    assert.ok((cleared?.status ?? 500) < 300)
    for (const send of senders) assert.deepEqual(await list(send), [])
  },
)

test(
  'workers that die while another requests an exchange end no other worker',
  patience,
  async (t) => {
    const { origin, process: child } = await startWorkers(t)
    await until(async () => (await findWorkers(child.pid)).length === 3)
    let isOver = false
    const senders = Array.from({ length: 6 }, async () => {
      // A request on its way to a worker that dies may never get a response.
      const send = () => fetch(`${origin}/inspector/unknown`, { signal: AbortSignal.timeout(2000) })
      while (!isOver) await send().catch(() => undefined)
    })
    for (let round = 0; round < 5; round += 1) await killWorker(child.pid)
    isOver = true
    await Promise.all(senders)
    assert.equal(child.exitCode, null)
  },
)
