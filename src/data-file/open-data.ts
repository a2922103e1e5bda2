import { isDeepStrictEqual } from 'node:util'
import { ConfigProblems, type Config } from '../config/config.ts'
import { formatCount } from '../config/format-count.ts'
import { isUrl } from '../config/parse-settings.ts'
import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { findAllProblems } from '../resources/write/find-problems.ts'
import type { Services } from '../site/demo.ts'
import type { Stub } from '../stubs/stub-list.ts'
import { rewindSequences } from '../stubs/stubs-demo.ts'
import type { Records } from '../stores/records/records.ts'
import { redefineData } from './define-data.ts'
import { findDangling, findNumberReferences, findOddities, listPlaces } from './find-oddities.ts'
import { findLoad, loadData, storeLoad, toPlace } from './load-data.ts'
import {
  collectProblems,
  maxShownProblems,
  parseData,
  parseFile,
  parseResponses,
  readDataTexts,
  readSchema,
  readSchemas,
  toStubLimits,
} from './parse-data.ts'
import type { Load } from './parse-load.ts'
import { restorePristine } from './pristine-records.ts'
import {
  hashTexts,
  readSource,
  toFileName,
  UnreadableData,
  withoutSecrets,
  type DataText,
} from './read-data-file.ts'

export interface OpenedData {
  definitions: readonly ResourceDefinition[]
  responses: readonly Stub[]
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
      if (!opened) continue
      await restorePristine(config, records, load).catch(ignoreUnreadable)
      return opened
    }
    const texts = await readDataTexts(config)
    const { described, total, ...parsed } = await parseData(config, texts)
    const copied = config.sandboxes === 'off' ? undefined : config.sandboxRecords
    if (!(await loadData(records, { ...texts, ...parsed, copied }, load))) continue
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

/** The stored records are served without the file too. */
function ignoreUnreadable(error: unknown): void {
  if (!(error instanceof UnreadableData || error instanceof ConfigProblems)) throw error
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
  const file = isUrl(dataFile) ? undefined : await readSource(dataFile)
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
  const defined = await collectProblems(async (reportOf) => {
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
  const { dataFile = '' } = config
  // A limit may have changed since the load.
  const responses = await collectProblems((reportOf) => {
    return parseResponses(given, toStubLimits(config, dataFile), reportOf(dataFile))
  })
  return { definitions, responses, notices }
}
