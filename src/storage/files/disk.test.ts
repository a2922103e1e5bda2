import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/start-vitrine.ts'
import { StoreFailure } from '../failure.ts'
import { openDiskFiles } from './disk.ts'
import { filesContract, toStream } from './files.contract.ts'

async function openFolder(t: TestContext) {
  const folder = join(await temporaryFolder(t), 'new', 'files')
  return { folder, files: await openDiskFiles(`file:${folder}`) }
}

filesContract('a folder', async (t) => {
  const { folder, files } = await openFolder(t)
  return { files, list: async () => readdir(folder) }
})

test('what cannot be a file of ours survives a sweep, and does not stop it', async (t) => {
  const { folder, files } = await openFolder(t)
  await mkdir(join(folder, 'lost+found'))
  await writeFile(join(folder, '.gitkeep'), '')
  await writeFile(join(folder, 'my thesis.txt'), 'years of work')
  await files.save('z', toStream('orphan'))
  await files.sweep(async () => false)
  assert.deepEqual((await readdir(folder)).toSorted(), ['.gitkeep', 'lost+found', 'my thesis.txt'])
})

test('a folder that cannot be made is refused with its URL', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'file'), '')
  const url = `file:${join(folder, 'file', 'below')}`
  await assert.rejects(openDiskFiles(url), (error: Error) => error.message.includes(url))
})

test('a folder that is gone is a failure of the store', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'files'))
  const files = await openDiskFiles(`file:${folder}/files`)
  await rm(join(folder, 'files'), { recursive: true })
  await assert.rejects(
    files.save('a', toStream('content')),
    (error) => error instanceof StoreFailure && error.kind === 'unavailable',
  )
})
