import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWatched } from '../support/watched-vitrine.ts'

const headers = { accept: 'application/json' }

test('pages of lists that are requested at the same time do not fill the memory', async (t) => {
  const { origin, assertSound } = await startWatched(t, {
    LOG_LEVEL: 'error',
    NODE_OPTIONS: '--max-old-space-size=60',
  })
  // The letter takes two bytes in memory: 70 KB for each page.
  const body = JSON.stringify({ name: 'Łódź', note: 'ł'.repeat(1900) })
  for (let index = 0; index < 18; index += 1) {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
    assert.equal((await fetch(`${origin}/places`, init)).status, 201)
  }
  for (let round = 0; round < 125; round += 1) {
    const urls = Array.from({ length: 8 }, (_, index) => {
      return `${origin}/places?per_page=18&name:ne=x${String(round * 8 + index)}`
    })
    const lengths = await Promise.all(
      urls.map(async (url) => (await (await fetch(url, { headers })).text()).length),
    )
    for (const length of lengths) assert.ok(length > 30_000 && length < 40_000, String(length))
  }
  await assertSound()
})
