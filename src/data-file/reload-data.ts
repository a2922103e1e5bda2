import { ConfigProblems, type Config } from '../config/config.ts'
import { maxRecordsAtOnce } from '../config/limits.ts'
import { defineResource } from '../resources/definition.ts'
import { createHasher } from '../resources/write/write.ts'
import { collectionNames } from '../stores/collection-names.ts'
import type { Records } from '../stores/records/records.ts'
import { toReason } from '../stores/store-failure.ts'
import { findLoad, loadData } from './load-data.ts'
import { parseData, readDataTexts, type DataTexts } from './parse-data.ts'
import { UnreadableData } from './read-data-file.ts'
import { replaceRecords, type SavedRecord } from './replace-records.ts'

/** Stores the records of the file again, and empties the other collections. Returns why it cannot. */
export async function reloadData(
  config: Config,
  records: Records,
  others: readonly string[],
): Promise<string | undefined> {
  const emptied = others.map((name): [string, SavedRecord[]] => [name, []])
  if (config.dataFile === undefined) {
    await replaceRecords(records, Object.fromEntries(emptied))
    return undefined
  }
  const texts = await readDataTexts(config).catch(ignoreExpected)
  if (!texts) return 'The data file cannot be read. Restore it, and reset again.'
  const load = await findLoad(records)
  if (load?.hash !== texts.hash || load.schemaHash !== texts.schemaHash)
    return describeChange(config, texts)
  // The schema may apply to what is written only, and not to the records of the file.
  const parsed = await parseData(config, texts).catch(ignoreExpected)
  if (!parsed)
    return `The data file no longer fits its schema. ${toLoadAgain(config.dataFresh)} to get a list of the problems, and correct the file or the schema.`
  const { resources, total } = parsed
  if (total > maxRecordsAtOnce) {
    if (!(await loadData(records, { ...texts, ...parsed }, load)))
      return 'Another process is loading the data file. Reset again.'
    const isOther = ([name]: [string, unknown]) =>
      resources.every((each) => each.definition.name !== name)
    await replaceRecords(records, Object.fromEntries(emptied.filter(isOther)))
    return undefined
  }
  const saved = new Map([...emptied, [collectionNames.learnedFields, []]])
  for (const { name } of load.definitions) saved.set(name, [])
  for (const { definition, records: all } of resources) {
    const hashPasswords = createHasher(defineResource(definition))
    const toSaved = async ({ id, document }: (typeof all)[number]): Promise<SavedRecord> => {
      return [id, await hashPasswords(document)]
    }
    saved.set(definition.name, await Promise.all(all.map(toSaved)))
  }
  await replaceRecords(records, Object.fromEntries(saved))
  return undefined
}

async function describeChange(config: Config, texts: DataTexts): Promise<string> {
  const { dataFresh, dataWatch } = config
  const changed = 'The data file has changed since its records were loaded.'
  if (!dataWatch)
    return `${changed} ${toLoadAgain(dataFresh)} to load it, or restore the file and reset again.`
  const next = 'It is being loaded: reset again in a moment.'
  const outcome = await parseData(config, texts).then(() => next, toReason)
  return `${changed} ${outcome}`
}

const toLoadAgain = (isFresh: boolean) =>
  isFresh ? 'Restart the service' : 'Start the service with --reload'

/** Any other error is not one of the files. */
function ignoreExpected(error: unknown): undefined {
  if (!(error instanceof UnreadableData || error instanceof ConfigProblems)) throw error
}
