import type { Config } from '../config/config.ts'
import { isUrl } from '../config/parse-settings.ts'
import { findLoad, toPlace } from '../data-file/load-data.ts'
import { defineResource } from '../resources/definition.ts'
import { writeAll } from '../resources/record/all-records.ts'
import { toRepresentation } from '../resources/record/representations.ts'
import { openRecords } from '../stores/open-stores.ts'
import type { Records } from '../stores/records/records.ts'
import { formatCount } from '../config/format-count.ts'
import { assertNotInMemory } from './format.ts'
import { findFile, isSameFile, writeOutput } from './output-file.ts'

export async function exportData(config: Config, target: string): Promise<void> {
  const { dataFile, databaseUrl } = config
  if (dataFile === undefined) throw new Error('name the data file: vitrine db.json export out.json')
  if (isDataFile(dataFile, target))
    throw new Error(
      'the data file itself is never written: export to another file, and move it over this one while the service is stopped',
    )
  assertNotInMemory(databaseUrl)
  const { records, close } = await openRecords(config)
  try {
    const { texts, count } = await readRecords(records)
    const isOutput = await writeOutput(target, texts)
    const saved = `Saved ${formatCount(count(), 'record')} of ${toPlace(databaseUrl)}`
    if (isOutput) console.error(`${saved} to standard output`)
    else console.log(`${saved} to ${target}`)
  } finally {
    await close()
  }
}

function isDataFile(dataFile: string, target: string): boolean {
  const [source, file] = isUrl(dataFile) ? [] : [dataFile, target].map(findFile)
  return source !== undefined && file !== undefined && isSameFile(source, file)
}

async function readRecords(records: Records) {
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
  return { texts: withLineBreak(texts), count: () => total }
}

async function* withLineBreak(texts: AsyncIterable<string>): AsyncGenerator<string> {
  yield* texts
  yield '\n'
}
