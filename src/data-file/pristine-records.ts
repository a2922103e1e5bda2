import type { Config } from '../config/config.ts'
import { defineResource } from '../resources/definition.ts'
import { createHasher } from '../resources/write/write.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { allRecords, type NewRecord, type Records } from '../stores/records/records.ts'
import { pristinePlace, toPlaceName } from '../stores/sandboxes/sandboxes.ts'
import { parseData, readDataTexts } from './parse-data.ts'
import { loadId, type Load } from './parse-load.ts'
import type { DataResource } from './report-problems.ts'

interface Pristine {
  names: readonly string[]
  /** The first records of the resource. */
  read: (name: string) => Promise<readonly NewRecord[]>
  /** It changes with the records, and with their number. */
  mark: string
}

const markName = toPlaceName(pristinePlace, collectionNames.dataFile)
const toMark = (recordsHash: string, max: number) => `${recordsHash} ${String(max)}`

/** Sandboxes begin with these copies. */
async function storePristine(records: Records, { names, read, mark }: Pristine): Promise<void> {
  for (const name of names) {
    const collection = toPlaceName(pristinePlace, name)
    await records.commit([{ collection, kind: 'replace', records: await read(name) }])
  }
  const marked = { id: loadId, document: { mark }, createdAt: new Date().toISOString() }
  await records.commit([{ collection: markName, kind: 'replace', records: [marked] }])
}

/** Right after a load, when the shared records are those of the file. */
export async function copyLoaded(
  records: Records,
  resources: readonly DataResource[],
  { recordsHash, max }: { recordsHash: string; max: number },
): Promise<void> {
  const read = (name: string) =>
    records.collection(name).list(allRecords, { offset: 0, limit: max })
  const names = resources.map(({ definition }) => definition.name)
  await storePristine(records, { names, read, mark: toMark(recordsHash, max) })
}

/** Without the copies of an earlier start, they are made of the file if its records are still the same. */
export async function restorePristine(config: Config, records: Records, load: Load): Promise<void> {
  const { sandboxes, sandboxRecords: max } = config
  const mark = toMark(load.recordsHash, max)
  if (sandboxes === 'off') return
  if ((await records.collection(markName).find(loadId))?.document.mark === mark) return
  const texts = await readDataTexts(config)
  if (texts.hash !== load.hash) return
  const { resources } = await parseData(config, texts)
  const read = async (name: string) => {
    const { definition, records: all = [] } =
      resources.find((each) => each.definition.name === name) ?? {}
    const hash = definition && createHasher(defineResource(definition))
    const firstMs = Date.now() - all.length
    const first = all.slice(0, max).map(async ({ id, document }, index) => ({
      id,
      document: hash ? await hash(document) : document,
      createdAt: new Date(firstMs + index).toISOString(),
    }))
    return Promise.all(first)
  }
  await storePristine(records, { names: resources.map((each) => each.definition.name), read, mark })
}
