import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { openEvents } from '../../../test/support/event-stream.ts'

for (const JSON_SERVER of ['0.17', '1']) {
  test(`json-server ${JSON_SERVER} has events of writes, with ids as they are in the file`, async (t) => {
    const posts = [{ id: 1, title: 'One' }]
    const app = await dataApp(t, { posts }, { settings: { JSON_SERVER } })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const stream = await openEvents(t, `${origin}/posts/events`)
    await app.inject({ method: 'PATCH', url: '/posts/1', payload: { title: 'Changed', more: 1 } })
    await app.inject({ method: 'DELETE', url: '/posts/1' })
    const events = await stream.take(2)
    assert.deepEqual(
      events.map((event) => [event?.name, event?.value]),
      [
        ['changed', { id: 1, title: 'Changed', more: 1 }],
        ['deleted', { id: 1 }],
      ],
    )
  })
}
