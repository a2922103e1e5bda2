import { ConfigProblems, type Config } from '../config/config.ts'
import { isUrl } from '../config/parse-settings.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { createHasher } from '../resources/write/write.ts'
import type { Records } from '../stores/records/records.ts'
import { defineData } from './define-data.ts'
import { findLoad, loadData } from './load-data.ts'
import type { DataProblem } from './parse-schema.ts'
import { maxAtomicRecords, replaceRecords } from './replace-records.ts'
import { parseDataText, readDataText, toHash, withoutSecrets } from './read-data-file.ts'

export interface OpenedData {
  definitions: readonly ResourceDefinition[]
  notices: readonly string[]
}

/** The resources of the data file, whose records are loaded unless the database has them. */
export async function openData(
  config: Config,
  records: Records,
  mayReload = true,
): Promise<OpenedData> {
  const { dataFile: source = '', dataReload } = config
  for (let isFirst = true; ; isFirst = false) {
    const load = await findLoad(records)
    // After another process has loaded the file, it is not loaded again.
    if (load?.isComplete && !(isFirst && mayReload && dataReload)) {
      const isOutdated = !isUrl(source) && load.hash !== (await readData(config)).hash
      const notice = `${source} has changed since its records were loaded; --reload replaces them`
      return { definitions: load.definitions, notices: isFirst && isOutdated ? [notice] : [] }
    }
    const data = await readData(config)
    const { resources, count } = await parseData(config, data)
    if (!(await loadData(records, { hash: data.hash, resources }, load))) continue
    const definitions = resources.map(({ definition }) => definition)
    const notice = `Loaded ${count} from ${withoutSecrets(source)}`
    return { definitions, notices: [notice] }
  }
}

/** The records of the file again. False if it is not as it was, or another process is loading it. */
export async function reloadData(config: Config, records: Records): Promise<boolean> {
  const data = await readData(config).catch(() => undefined)
  const load = await findLoad(records)
  if (!data || load?.hash !== data.hash) return false
  const { resources, total } = await parseData(config, data)
  if (total > maxAtomicRecords) return loadData(records, { hash: data.hash, resources }, load)
  const entries = resources.map(async ({ definition, records: all }) => {
    const hashPasswords = createHasher(defineResource(definition))
    const saved = all.map(async ({ id, document }) => [id, await hashPasswords(document)] as const)
    return [definition.name, await Promise.all(saved)] as const
  })
  await replaceRecords(records, Object.fromEntries(await Promise.all(entries)))
  return true
}

async function readData({ dataFile = '', dataSchema, dataId, foreignKeySuffix }: Config) {
  const file = await readDataText(dataFile)
  const schema = dataSchema === undefined ? undefined : await readDataText(dataSchema)
  return { file, schema, hash: toHash(file.text, schema?.text ?? '', dataId, foreignKeySuffix) }
}

type Data = Awaited<ReturnType<typeof readData>>

async function parseData(
  { dataId, foreignKeySuffix, maxJsonDepth }: Config,
  { file, schema }: Data,
) {
  const contents = await parseDataText(file, maxJsonDepth)
  const schemas = schema && (await parseDataText(schema, maxJsonDepth))
  const options = { idField: dataId, foreignKeySuffix }
  const { resources, problems, isOfSchemaFile } = defineData(contents, options, schemas)
  const { source } = isOfSchemaFile && schema ? schema : file
  if (problems.length > 0)
    throw new ConfigProblems(toLines(withoutSecrets(source), problems).join('\n'))
  const total = resources.reduce((sum, { records }) => sum + records.length, 0)
  const count = `${total.toLocaleString('en')} record${total === 1 ? '' : 's'}`
  return { resources, total, count }
}

const maxShownProblems = 20

function toLines(source: string, problems: readonly DataProblem[]): string[] {
  const shown = problems.slice(0, maxShownProblems)
  const lines = shown.map(({ path, reason }) => `${source}: ${path} ${reason}`)
  const others = problems.length - shown.length
  return others === 0 ? lines : [...lines, `${source}: ${String(others)} more problems`]
}
