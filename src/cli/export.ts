import { open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { findLoad } from '../data-file/load-data.ts'
import { defineResource } from '../resources/definition.ts'
import { writeAll } from '../resources/record/all-records.ts'
import { toRepresentation } from '../resources/record/representations.ts'
import { openRecords } from '../stores/open-stores.ts'
import type { Records } from '../stores/records/records.ts'
import { assertNotInMemory, formatCount } from './format.ts'

/** Writes the stored records in the form of a data file. */
export async function exportData(config: Config, path: string): Promise<void> {
  const { dataFile, databaseUrl } = config
  if (dataFile === undefined) throw new Error('name the data file: vitrine db.json export out.json')
  if (resolve(path) === resolve(dataFile))
    throw new Error(
      'the data file itself is never written: export to another file, and move it over this one while the service is stopped',
    )
  assertNotInMemory(databaseUrl)
  const { records, close } = await openRecords(config)
  const partial = `${path}.${String(process.pid)}.part`
  try {
    await using file = await open(partial, 'wx')
    const count = await writeRecords(records, (text) => file.writeFile(text))
    await rename(partial, path)
    console.log(`Saved ${formatCount(count, 'record')} to ${path}`)
  } finally {
    await rm(partial, { force: true })
    await close()
  }
}

async function writeRecords(records: Records, write: (text: string) => Promise<void>) {
  const load = await findLoad(records)
  if (!load?.isComplete) throw new Error('the data file has not been loaded: start the service')
  let total = 0
  const contexts = load.definitions.map((definition) => {
    return { resource: defineResource(definition), collection: records.collection(definition.name) }
  })
  const texts = writeAll(contexts, ({ resource }, record) => {
    total += 1
    return toRepresentation(resource, record)
  })
  for await (const text of texts) await write(text)
  await write('\n')
  return total
}
