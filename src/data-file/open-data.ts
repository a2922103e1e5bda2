import { ConfigProblems, type Config } from '../config/config.ts'
import { isUrl } from '../config/parse-settings.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { findProblems } from '../resources/write/input.ts'
import { createHasher } from '../resources/write/write.ts'
import { isDocument, type Records, type StoredRecord } from '../stores/records/records.ts'
import { parseResponses, type DataResponse } from './data-responses.ts'
import { defineData } from './define-data.ts'
import { findLoad, loadData, storeLoad, type Load } from './load-data.ts'
import { parseSchemas, type Report } from './parse-schema.ts'
import { maxAtomicRecords, replaceRecords, type SavedRecord } from './replace-records.ts'
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
    if (load?.isComplete && !(isFirst && mayReload)) {
      return { ...parseLoaded(config, load), notices: [] }
    }
    if (load?.isComplete && !dataReload) {
      const opened = await openLoaded(config, records, load)
      if (opened) return opened
      continue
    }
    const data = await readDataTexts(config)
    const { resources, responses, total } = await parseData(config, data)
    if (!(await loadData(records, { ...data, resources, responses }, load))) continue
    const definitions = resources.map(({ definition }) => definition)
    const notice = `Loaded ${formatRecords(total)} from ${withoutSecrets(source)}`
    return { ...parseLoaded(config, { definitions, responses }), notices: [notice] }
  }
}

/** The records of an earlier start. Undefined if another process is loading the file. */
async function openLoaded(
  config: Config,
  records: Records,
  load: Load,
): Promise<OpenedData | undefined> {
  const { dataFile = '', databaseUrl } = config
  const source = withoutSecrets(dataFile)
  const counts = load.definitions.map(({ name }) => records.collection(name).count())
  const total = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  const place = databaseUrl.startsWith('sqlite:') ? databaseUrl.slice(7) : 'the database'
  const kept = `Kept ${formatRecords(total)} in ${place}; ${source} was not loaded again`
  const isSameSchema = (await readSchema(config)).schemaHash === load.schemaHash
  if (isUrl(dataFile) && isSameSchema) return { ...parseLoaded(config, load), notices: [kept] }
  const data = await readDataTexts(config)
  if (data.hash === load.hash && !isSameSchema) {
    const redefined = await redefine(config, records, load, data)
    return redefined && { ...redefined, notices: [kept, ...redefined.notices] }
  }
  const changed = `${source} (or --id) has changed since its records were loaded`
  const effect = isSameSchema ? '' : ', and the schema of before applies'
  const notices = data.hash === load.hash ? [] : [`${changed}${effect}; --reload replaces them`]
  return { ...parseLoaded(config, load), notices: [kept, ...notices] }
}

/** Another schema for the stored records. Undefined if another process has changed the load. */
async function redefine(config: Config, records: Records, load: Load, data: DataTexts) {
  const { resources, responses } = await parseData(config, data)
  const defined = resources.map(({ definition }) => definition)
  // A resource that only the schema of before named may have records.
  const others = load.definitions.filter(({ name }) => !defined.some((each) => each.name === name))
  const definitions = [...defined, ...others]
  const [before, after] = [load.definitions, definitions].map(toPasswordPaths)
  if (before !== after) throw new ConfigProblems(writeOnlyChange)
  const isStored = await storeLoad(records, { ...load, ...data, definitions, responses })
  if (!isStored) return undefined
  const misfits = await countMisfits(records, definitions)
  const effect = 'The schema has changed: it applies to what is written from now on'
  const doNot = misfits === 1 ? 'does not' : 'do not'
  const found = misfits > 0 ? `. ${formatRecords(misfits)} of before ${doNot} fit it` : ''
  return { ...parseLoaded(config, { definitions, responses }), notices: [effect + found] }
}

const writeOnlyChange =
  'the schema changes which fields are writeOnly, and so how they are stored: --reload loads the file with it'

function toPasswordPaths(definitions: readonly ResourceDefinition[]): string {
  const paths = definitions.flatMap((definition) =>
    defineResource(definition).passwords.map(({ name }) => `/${definition.name}/${name}`),
  )
  return paths.toSorted().join()
}

async function countMisfits(records: Records, definitions: readonly ResourceDefinition[]) {
  let count = 0
  for (const definition of definitions) {
    const resource = defineResource(definition)
    const isMisfit = ({ document }: StoredRecord) => findProblems(resource, document).length > 0
    const pages = records.collection(definition.name).pages()
    for await (const page of pages) count += page.filter(isMisfit).length
  }
  return count
}

function parseLoaded(
  config: Config,
  { definitions, responses: given }: Pick<Load, 'definitions' | 'responses'>,
) {
  const names = definitions.map(({ name }) => name)
  // A limit may have changed since the load.
  const responses = check(config.dataFile ?? '', (report) =>
    parseResponses(given, { names, limits: config, report }),
  )
  return { definitions, responses }
}

/** The records of the file again. False if it is not as it was, or another process is loading it. */
export async function reloadData(config: Config, records: Records): Promise<boolean> {
  const data = await readDataTexts(config).catch(() => undefined)
  const load = await findLoad(records)
  if (!data || load?.hash !== data.hash || load.schemaHash !== data.schemaHash) return false
  const { resources, responses, total } = await parseData(config, data)
  if (total > maxAtomicRecords) return loadData(records, { ...data, resources, responses }, load)
  const saved = new Map<string, SavedRecord[]>(load.definitions.map(({ name }) => [name, []]))
  for (const { definition, records: all } of resources) {
    const hashPasswords = createHasher(defineResource(definition))
    const hashed = all.map(async ({ id, document }) => [id, await hashPasswords(document)] as const)
    saved.set(definition.name, await Promise.all(hashed))
  }
  await replaceRecords(records, Object.fromEntries(saved))
  return true
}

async function readDataTexts(config: Config) {
  const file = await readDataText(config.dataFile ?? '')
  return { file, hash: toHash(file.text, config.dataId), ...(await readSchema(config)) }
}

export async function readSchema({ dataSchema, foreignKeySuffix }: Config) {
  const schema = dataSchema === undefined ? undefined : await readDataText(dataSchema)
  return { schema, schemaHash: toHash(schema?.text ?? '', foreignKeySuffix) }
}

type DataTexts = Awaited<ReturnType<typeof readDataTexts>>

async function parseData(config: Config, { file, schema }: DataTexts) {
  const { dataId, foreignKeySuffix, maxJsonDepth } = config
  const contents = await parseDataText(file, maxJsonDepth)
  const data = check(file.source, (report) => {
    if (isDocument(contents)) return contents
    report('/', 'must be an object whose members are the resources')
    return {}
  })
  const { $schema: own, $responses: responses, ...others } = data
  const ofFile = isDocument(own) ? own : {}
  const given = schema ? await parseDataText(schema, maxJsonDepth) : ofFile
  const schemas = check((schema ?? file).source, (report) => parseSchemas(given, report))
  const resources = check(file.source, (report) => {
    const options = { idField: dataId, foreignKeySuffix, schemas, report }
    const defined = defineData(others, options)
    const names = defined.map(({ definition }) => definition.name)
    parseResponses(responses, { names, limits: config, report })
    return defined
  })
  const total = resources.reduce((sum, { records }) => sum + records.length, 0)
  return { resources, responses, total }
}

function formatRecords(count: number): string {
  return `${count.toLocaleString('en')} record${count === 1 ? '' : 's'}`
}

const maxShownProblems = 20

/** Throws one error with all problems that `find` reports. */
function check<Result>(path: string, find: (report: Report) => Result): Result {
  const source = withoutSecrets(path)
  const lines: string[] = []
  const result = find((path, reason) => {
    lines.push(`${source}: ${path} ${reason}`)
  })
  const others = lines.splice(maxShownProblems).length
  if (others > 0) lines.push(`${source}: ${String(others)} more problems`)
  if (lines.length > 0) throw new ConfigProblems(lines.join('\n'))
  return result
}
