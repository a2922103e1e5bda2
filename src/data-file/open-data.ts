import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../config/is-object.ts'
import { ConfigProblems, type Config } from '../config/config.ts'
import { formatCount } from '../config/format-count.ts'
import { isUrl } from '../config/parse-settings.ts'
import { maxRecordsAtOnce } from '../config/limits.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { findAllProblems } from '../resources/write/input.ts'
import { createHasher } from '../resources/write/write.ts'
import type { Services } from '../site/demo.ts'
import { collectionNames } from '../stores/collection-names.ts'
import type { Records } from '../stores/records/records.ts'
import { toReason } from '../stores/store-failure.ts'
import { parseResponses, rewindSequences, type DataResponse } from './data-responses.ts'
import { defineData, redefineData } from './define-data.ts'
import {
  findDangling,
  findNumberReferences,
  findOddities,
  findOtherKind,
  listPlaces,
} from './find-oddities.ts'
import { findLoad, loadData, storeLoad, toPlace, type Load } from './load-data.ts'
import { parseSchemas, type Report } from './parse-schema.ts'
import { replaceRecords, type SavedRecord } from './replace-records.ts'
import {
  parseDataText,
  readDataText,
  toFileName,
  hashTexts,
  withoutSecrets,
  type DataText,
} from './read-data-file.ts'

export interface OpenedData {
  definitions: readonly ResourceDefinition[]
  responses: readonly DataResponse[]
  notices: readonly string[]
}

export async function openData(
  config: Config,
  { records, states }: Pick<Services, 'records' | 'states'>,
): Promise<OpenedData> {
  const { dataFile: source = '', dataReload } = config
  for (let isFirst = true; ; isFirst = false) {
    const load = await findLoad(records)
    // After another process has loaded the file, it is not loaded again.
    if (load?.isComplete && !isFirst) return parseLoaded(config, load)
    if (load?.isComplete && !dataReload) {
      const opened = await openLoaded(config, records, load)
      if (opened) return opened
      continue
    }
    const texts = await readDataTexts(config)
    const { described, total, ...parsed } = await parseData(config, texts)
    if (!(await loadData(records, { ...texts, ...parsed }, load))) continue
    await rewindSequences(described, states)
    const loaded = `Loaded ${formatCount(total, 'record')} from ${withoutSecrets(source)}`
    const ids = parsed.resources.flatMap((resource) => resource.notices)
    const oddities = parsed.resources.flatMap(findOddities)
    const found = [...ids, ...findDangling(parsed.resources), ...oddities]
    const more = found.splice(maxShownProblems).length
    const others = more > 0 ? [`${String(more)} more lines about the data`] : []
    const numbers = config.jsonServer === '1' ? findNumberReferences(parsed.resources) : []
    const notices = [loaded, ...parsed.kinds, ...numbers, ...found, ...others]
    const definitions = parsed.resources.map(({ definition }) => definition)
    return { definitions, responses: described, notices }
  }
}

/** The records of an earlier start. Undefined if another process has changed the load. */
async function openLoaded(
  config: Config,
  records: Records,
  load: Load,
): Promise<OpenedData | undefined> {
  const { dataFile = '', databaseUrl } = config
  const source = withoutSecrets(dataFile)
  const counts = load.definitions.map(({ name }) => records.collection(name).count())
  const total = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  const kept = `Kept ${formatCount(total, 'record')} in ${toPlace(databaseUrl)}; ${source} was not loaded again`
  const { schema, schemaHash } = await readSchema(config)
  const file = isUrl(dataFile) ? undefined : await readDataText(dataFile)
  const hash = file ? hashTexts(file.text, config.dataId) : load.hash
  if (hash === load.hash && schemaHash === load.schemaHash) return parseLoaded(config, load, [kept])
  const { recordsHash, ownSchema, responses } = file ? await parseFile(config, file) : load
  const isSame = recordsHash === load.recordsHash
  const next = { ...load, hash: isSame ? hash : '', schemaHash, ownSchema, responses }
  const redefined = await redefine(config, records, { load: next, schema })
  const changed = `The records in ${source} (or --id) have changed. The stored records are kept`
  const notices = isSame ? [] : [`${changed}: --reload replaces them with those of the file`]
  return redefined && { ...redefined, notices: [kept, ...redefined.notices, ...notices] }
}

/** Applies the schemas to the stored records. Undefined if another process has changed the load. */
async function redefine(
  config: Config,
  records: Records,
  { load, schema }: { load: Load; schema: DataText | undefined },
) {
  const { dataFile = '', foreignKeySuffix } = config
  const defined = await check(async (reportOf) => {
    const schemas = await readSchemas(config, { schema, own: load.ownSchema }, reportOf)
    const inferredFrom = toFileName(dataFile)
    const options = { foreignKeySuffix, inferredFrom, schemas, report: reportOf(dataFile) }
    return redefineData(load.inferred, options)
  })
  // A resource that only the schema of before named may have records.
  const others = load.definitions.filter(({ name }) => !defined.some((each) => each.name === name))
  const definitions = [...defined, ...others]
  const [before = [], after = []] = [load.definitions, definitions].map(toPasswordPaths)
  const changed = [...before, ...after].filter(
    (path) => before.includes(path) !== after.includes(path),
  )
  if (changed.length > 0)
    throw new ConfigProblems(
      `the schema changes whether ${changed.join(', ')} is writeOnly, and so how it is stored: --reload loads the file with it, without the changes since (export them first)`,
    )
  const opened = await parseLoaded(config, { definitions, responses: load.responses })
  if (!(await storeLoad(records, { ...load, definitions }))) return undefined
  const byName = (all: readonly ResourceDefinition[]): unknown =>
    JSON.parse(JSON.stringify(all.toSorted((a, b) => (a.name < b.name ? -1 : 1))))
  if (isDeepStrictEqual(byName(definitions), byName(load.definitions))) return opened
  const misfits = await findMisfits(records, definitions)
  const effect = 'The schema has changed: it applies to what is written from now on'
  if (misfits.length === 0) return { ...opened, notices: [effect] }
  const doNot = misfits.length === 1 ? 'does not' : 'do not'
  const found = `${formatCount(misfits.length, 'record')} of before ${doNot} fit it: ${listPlaces(misfits)}`
  return { ...opened, notices: [`${effect}. ${found}`] }
}

function toPasswordPaths(definitions: readonly ResourceDefinition[]): string[] {
  return definitions.flatMap((definition) =>
    defineResource(definition).passwords.map(({ name }) => `/${definition.name}/${name}`),
  )
}

async function findMisfits(records: Records, definitions: readonly ResourceDefinition[]) {
  const places: string[] = []
  for (const resource of definitions.map(defineResource))
    for await (const page of records.collection(resource.name).pages()) {
      const problems = findAllProblems(
        resource,
        page.map(({ document }) => document),
      )
      for (const [index, [problem]] of problems.entries()) {
        const id = resource.isSingular ? '' : `/${page[index]?.id ?? ''}`
        if (problem) places.push(`/${resource.name}${id}/${problem.field}`)
      }
    }
  return places
}

async function parseLoaded(
  config: Config,
  { definitions, responses: given }: Pick<Load, 'definitions' | 'responses'>,
  notices: readonly string[] = [],
): Promise<OpenedData> {
  const names = definitions.map(({ name }) => name)
  // A limit may have changed since the load.
  const responses = await check((reportOf) => {
    const report = reportOf(config.dataFile ?? '')
    return parseResponses(given, { names, limits: config, report })
  })
  return { definitions, responses, notices }
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
  const texts = await readDataTexts(config).catch(() => undefined)
  if (!texts) return 'The data file cannot be read. Restore it, and reset again.'
  const load = await findLoad(records)
  if (load?.hash !== texts.hash || load.schemaHash !== texts.schemaHash)
    return describeChange(config, texts)
  // The schema may apply to what is written only, and not to the records of the file.
  const parsed = await parseData(config, texts).catch(() => undefined)
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

async function readDataTexts(config: Config) {
  const file = await readDataText(config.dataFile ?? '')
  return { file, hash: hashTexts(file.text, config.dataId), ...(await readSchema(config)) }
}

/** Changes with what is inferred: the definitions of an earlier version are made anew. */
const rulesVersion = '2'

export async function readSchema({ dataSchema, foreignKeySuffix }: Config) {
  const schema = dataSchema === undefined ? undefined : await readDataText(dataSchema)
  return { schema, schemaHash: hashTexts(schema?.text ?? '', foreignKeySuffix, rulesVersion) }
}

type DataTexts = Awaited<ReturnType<typeof readDataTexts>>

async function parseData(config: Config, { file, schema }: DataTexts) {
  const { dataId: idField, foreignKeySuffix, jsonServer } = config
  const { data, ...parsed } = await parseFile(config, file)
  const kinds = findOtherKind(file.source, data)
  return check(async (reportOf) => {
    const report = reportOf(file.source)
    const schemas = await readSchemas(config, { schema, own: parsed.ownSchema }, reportOf)
    const inferredFrom = toFileName(file.source)
    const inference = { idField, foreignKeySuffix, jsonServer, inferredFrom }
    const resources = defineData(data, { ...inference, schemas, report })
    const names = resources.map(({ definition }) => definition.name)
    const described = parseResponses(parsed.responses, { names, limits: config, report })
    const total = resources.reduce((sum, { records }) => sum + records.length, 0)
    return { ...parsed, resources, described, total, kinds }
  }, kinds)
}

async function parseFile({ dataId, maxJsonDepth }: Config, file: DataText) {
  const contents = await parseDataText(file, maxJsonDepth)
  if (!isObject(contents)) {
    const source = withoutSecrets(file.source)
    throw new ConfigProblems(`${source}: / must be an object whose members are the resources`)
  }
  const { $schema: ownSchema, $responses: responses, ...data } = contents
  const hashes = Object.entries(data).map(([name, value]) => hashTexts(name, JSON.stringify(value)))
  return { data, recordsHash: hashTexts(dataId, ...hashes), ownSchema, responses }
}

/** The schemas are those of their own file if there is one, and otherwise of the data file. */
async function readSchemas(
  { dataFile = '', maxJsonDepth }: Config,
  { schema, own }: { schema: DataText | undefined; own: unknown },
  reportOf: ReportOf,
) {
  if (schema)
    return parseSchemas(await parseDataText(schema, maxJsonDepth), reportOf(schema.source))
  // A URL in $schema is for editors.
  return parseSchemas(isObject(own) ? own : {}, reportOf(dataFile, '/$schema'))
}

const maxShownProblems = 20

type ReportOf = (source: string, parent?: string) => Report

async function check<Result>(
  find: (reportOf: ReportOf) => Result | Promise<Result>,
  notices: readonly string[] = [],
): Promise<Result> {
  const lines: string[] = []
  const reportOf: ReportOf =
    (source, parent = '') =>
    (path, reason) => {
      lines.push(`${withoutSecrets(source)}: ${parent}${path} ${reason}`)
    }
  const result = await find(reportOf)
  const others = lines.splice(maxShownProblems).length
  if (others > 0) lines.push(`${String(others)} more problems`)
  if (lines.length > 0) throw new ConfigProblems([...notices, ...lines].join('\n'))
  return result
}
