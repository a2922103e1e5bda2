import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { findOrigin, settingsIn, spawnVitrine, temporaryFolder } from '../support/start-vitrine.ts'

/** Starts the program as a user of json-server does, and returns its origin. */
async function start(t: TestContext, flags: readonly string[]): Promise<string> {
  const file = await dataFile(t, { posts: [{ id: 1, title: 'one' }] })
  const settings = { PORT: '0', ...settingsIn(await temporaryFolder(t)) }
  const started = spawnVitrine(settings, [file, '--json-server=0.17', ...flags])
  t.after(() => started.process.kill('SIGKILL'))
  return findOrigin(started)
}

test('--static serves the files of the folder, with the resources', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'own.txt'), 'own file')
  const origin = await start(t, ['--static', folder])
  assert.equal(await (await fetch(`${origin}/own.txt`)).text(), 'own file')
  assert.deepEqual(await (await fetch(`${origin}/posts/1`)).json(), { id: 1, title: 'one' })
})

test('--read-only rejects writes with 403 and stores nothing', async (t) => {
  const origin = await start(t, ['--read-only'])
  for (const [method, path] of [
    ['POST', '/posts'],
    ['PUT', '/posts/1'],
    ['PATCH', '/posts/1'],
    ['DELETE', '/posts/1'],
  ] as const) {
    await t.test(method, async () => {
      const body = method === 'DELETE' ? {} : { body: '{"title":"two"}' }
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(origin + path, { method, headers, ...body })
      assert.equal(response.status, 403)
    })
  }
  assert.deepEqual(await (await fetch(`${origin}/posts`)).json(), [{ id: 1, title: 'one' }])
})

test('--delay delays each response', async (t) => {
  const origin = await start(t, ['--delay', '80'])
  const before = performance.now()
  await fetch(`${origin}/posts`)
  assert.ok(performance.now() - before >= 79)
})
