import { open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { findLoad } from '../data-file/load-data.ts'
import { defineResource } from '../resources/definition.ts'
import { toRepresentation } from '../resources/record/representations.ts'
import { openRecords } from '../stores/open-stores.ts'
import type { Records } from '../stores/records/records.ts'
import { assertNotInMemory, formatCount } from './format.ts'

/** Writes the stored records in the form of a data file. */
export async function exportData(config: Config, path: string): Promise<void> {
  const { dataFile, databaseUrl } = config
  if (dataFile === undefined) throw new Error('name the data file: vitrine db.json export out.json')
  if (resolve(path) === resolve(dataFile)) throw new Error('the data file itself is never written')
  assertNotInMemory(databaseUrl)
  const { records, close } = await openRecords(config)
  const partial = `${path}.${String(process.pid)}.part`
  try {
    await using file = await open(partial, 'wx')
    const count = await writeData(records, (text) => file.writeFile(text))
    await rename(partial, path)
    console.log(`Saved ${formatCount(count, 'record')} to ${path}`)
  } finally {
    await rm(partial, { force: true })
    await close()
  }
}

async function writeData(records: Records, write: (text: string) => Promise<void>) {
  const load = await findLoad(records)
  if (!load?.isComplete) throw new Error('the data file has not been loaded: start the service')
  let total = 0
  let before = '{'
  for (const resource of load.definitions.map(defineResource)) {
    const { name, isSingular } = resource
    await write(`${before}\n  ${JSON.stringify(name)}: ${isSingular ? '' : '['}`)
    let isFirst = true
    for await (const page of records.collection(name).pages()) {
      const items = page.map((record) => JSON.stringify(toRepresentation(resource, record)))
      const text = isSingular ? items.join() : `${isFirst ? '' : ','}\n    ${items.join(',\n    ')}`
      await write(text)
      total += page.length
      isFirst = false
    }
    if (isSingular && isFirst) await write('{}')
    else if (!isSingular) await write(isFirst ? ']' : '\n  ]')
    before = ','
  }
  await write(before === '{' ? '{}\n' : '\n}\n')
  return total
}
