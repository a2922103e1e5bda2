import { ConfigProblems, type Config } from '../config/config.ts'
import { isUrl } from '../config/parse-settings.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { createHasher } from '../resources/write/write.ts'
import type { Records } from '../stores/records/records.ts'
import { parseResponses, type DataResponse } from './data-responses.ts'
import { defineData } from './define-data.ts'
import { findLoad, loadData } from './load-data.ts'
import type { DataProblem } from './parse-schema.ts'
import { maxAtomicRecords, replaceRecords } from './replace-records.ts'
import { parseDataText, readDataText, toHash, withoutSecrets } from './read-data-file.ts'

export interface OpenedData {
  definitions: readonly ResourceDefinition[]
  responses: readonly DataResponse[]
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
      const notices = isFirst && isOutdated ? [notice] : []
      return { ...parseLoaded(config, load), notices }
    }
    const data = await readData(config)
    const { resources, responses, count } = await parseData(config, data)
    if (!(await loadData(records, { hash: data.hash, resources, responses }, load))) continue
    const definitions = resources.map(({ definition }) => definition)
    const notice = `Loaded ${count} from ${withoutSecrets(source)}`
    return { ...parseLoaded(config, { definitions, responses }), notices: [notice] }
  }
}

type Loaded = Pick<NonNullable<Awaited<ReturnType<typeof findLoad>>>, 'definitions' | 'responses'>

function parseLoaded(config: Config, { definitions, responses: given }: Loaded) {
  const names = definitions.map(({ name }) => name)
  const { responses, problems } = parseResponses(given, names, config)
  // A limit may have changed since the load.
  if (problems.length > 0) throw toProblems(config.dataFile ?? '', problems)
  return { definitions, responses }
}

/** The records of the file again. False if it is not as it was, or another process is loading it. */
export async function reloadData(config: Config, records: Records): Promise<boolean> {
  const data = await readData(config).catch(() => undefined)
  const load = await findLoad(records)
  if (!data || load?.hash !== data.hash) return false
  const { resources, responses, total } = await parseData(config, data)
  if (total > maxAtomicRecords)
    return loadData(records, { hash: data.hash, resources, responses }, load)
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

async function parseData(config: Config, { file, schema }: Data) {
  const { dataId, maxJsonDepth } = config
  const contents = await parseDataText(file, maxJsonDepth)
  const schemas = schema && (await parseDataText(schema, maxJsonDepth))
  const options = { ...config, idField: dataId }
  const { resources, responses, problems, isOfSchemaFile } = defineData(contents, options, schemas)
  const { source } = isOfSchemaFile && schema ? schema : file
  if (problems.length > 0) throw toProblems(source, problems)
  const total = resources.reduce((sum, { records }) => sum + records.length, 0)
  const count = `${total.toLocaleString('en')} record${total === 1 ? '' : 's'}`
  return { resources, responses, total, count }
}

const maxShownProblems = 20

function toProblems(path: string, problems: readonly DataProblem[]): ConfigProblems {
  const source = withoutSecrets(path)
  const shown = problems.slice(0, maxShownProblems)
  const lines = shown.map(({ path, reason }) => `${source}: ${path} ${reason}`)
  const others = problems.length - shown.length
  if (others > 0) lines.push(`${source}: ${String(others)} more problems`)
  return new ConfigProblems(lines.join('\n'))
}
