import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { asJson, openClient } from '../support/client.ts'
import { dataFile } from '../support/data-app.ts'
import { startWatched, openSocket, toGet } from '../support/watched-vitrine.ts'

/** 7 MB in memory, which are kept for one state of the list at a time. */
const posts = Array.from({ length: 2000 }, (_, id) => ({ id: String(id), text: 'ā'.repeat(1600) }))
const [states, clientsOfState] = [50, 4]

for (const version of ['0.17', '1'] as const) {
  test(`in ${version} clients that do not read sorted lists of many states have few records in memory`, async (t) => {
    const DATA_FILE = await dataFile(t, { posts })
    const { origin, assertSound } = await startWatched(t, {
      DATA_FILE,
      JSON_SERVER: version,
      LOG_LEVEL: 'error',
      SEND_IDLE_SECONDS: '3600',
      NODE_OPTIONS: '--max-old-space-size=200',
    })
    const send = openClient(t, origin)
    for (let state = 0; state < states; state += 1) {
      const changed = await send('/posts/1', asJson('PATCH', { state }))
      assert.equal(changed.status, 200)
      for (let client = 0; client < clientsOfState; client += 1) {
        const socket = openSocket(origin)
        t.after(() => socket.destroy())
        socket.write(toGet('/posts?_sort=id'))
        await once(socket, 'readable')
      }
    }
    assert.equal((await send('/posts/1')).status, 200)
    await assertSound()
  })
}
