import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startWatched } from '../support/watched-vitrine.ts'
import { temporaryFolder } from '../support/start-vitrine.ts'

/** Puts a link in the place of a folder, and back. */
const swap = `const { renameSync } = require('node:fs')
for (let count = 0; count < 100_000; count += 1) {
  renameSync('shown', 'kept')
  renameSync('link', 'shown')
  renameSync('shown', 'link')
  renameSync('kept', 'shown')
}`

test('no file outside PUBLIC_DIR is sent while links and folders are swapped', async (t) => {
  const [outside, PUBLIC_DIR] = [await temporaryFolder(t), await temporaryFolder(t)]
  // Too large to be kept in memory.
  await writeFile(join(outside, 'file.txt'), 'secret '.repeat(200_000))
  await mkdir(join(PUBLIC_DIR, 'shown'))
  await writeFile(join(PUBLIC_DIR, 'shown', 'file.txt'), 'public '.repeat(200_000))
  await symlink(outside, join(PUBLIC_DIR, 'link'))
  const { origin, assertSound } = await startWatched(t, { PUBLIC_DIR })
  const swapping = spawn(process.execPath, ['-e', swap], { cwd: PUBLIC_DIR, stdio: 'inherit' })
  t.after(() => swapping.kill())
  const ended = once(swapping, 'exit')
  const statuses = new Set<number>()
  const read = async () => {
    while (swapping.exitCode === null) {
      const response = await fetch(`${origin}/shown/file.txt`)
      statuses.add(response.status)
      if (response.ok) assert.match(await response.text(), /^public /)
      else await response.text()
    }
  }
  await Promise.all(Array.from({ length: 8 }, read))
  assert.deepEqual(await ended, [0, null])
  for (const status of statuses) assert.ok([200, 404, 503].includes(status), String(status))
  await assertSound()
})
