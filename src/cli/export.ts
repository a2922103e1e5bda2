import type { Config } from '../config/config.ts'
import { findLoad, toPlace } from '../data-file/load-data.ts'
import { defineResource } from '../resources/definition.ts'
import { writeAll } from '../resources/record/all-records.ts'
import { toRepresentation } from '../resources/record/representations.ts'
import { openRecords } from '../stores/open-stores.ts'
import type { Records } from '../stores/records/records.ts'
import { assertNotInMemory, formatCounts } from './format.ts'
import { writeOutput } from './output-file.ts'

export async function exportData(config: Config, target: string): Promise<void> {
  const { dataFile, databaseUrl } = config
  if (dataFile === undefined) throw new Error('name the data file: vitrine db.json export out.json')
  assertNotInMemory(databaseUrl)
  const { records, close } = await openRecords(config)
  try {
    const { texts, counts } = await readRecords(records)
    const isOutput = await writeOutput(target, texts)
    const saved = `Saved ${formatCounts([...counts]) || 'no records'} of ${toPlace(databaseUrl)}`
    if (isOutput) console.error(`${saved} to standard output`)
    else console.log(`${saved} to ${target}`)
  } finally {
    await close()
  }
}

async function readRecords(records: Records) {
  const load = await findLoad(records)
  if (!load?.isComplete) throw new Error('the data file has not been loaded: start the service')
  const counts = new Map<string, number>()
  const contexts = load.definitions.map((definition) => {
    return { resource: defineResource(definition), collection: records.collection(definition.name) }
  })
  const texts = writeAll(contexts, ({ resource }, record) => {
    counts.set(resource.name, (counts.get(resource.name) ?? 0) + 1)
    return toRepresentation(resource, record)
  })
  return { texts: withLineBreak(texts), counts }
}

async function* withLineBreak(texts: AsyncIterable<string>): AsyncGenerator<string> {
  yield* texts
  yield '\n'
}
