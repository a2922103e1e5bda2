import { dirname, resolve } from 'node:path'
import { ConfigProblems, type Config } from '../config/config.ts'
import { isObject } from '../config/is-object.ts'
import { isUrl } from '../config/parse-settings.ts'
import type { DescriptionLimits } from '../responses/description-limits.ts'
import { parseStubs } from '../stubs/parse-stubs.ts'
import { defineData } from './define-data.ts'
import { findOtherKind } from './find-oddities.ts'
import { parseDataText } from './parse-data-text.ts'
import { parseSchemas, type Report } from './parse-schema.ts'
import {
  hashTexts,
  readSource,
  toFileName,
  withoutSecrets,
  type DataText,
} from './read-data-file.ts'

export async function readDataTexts(config: Config) {
  const file = await readSource(config.dataFile ?? '')
  return { file, hash: hashTexts(file.text, config.dataId), ...(await readSchema(config)) }
}

export type DataTexts = Awaited<ReturnType<typeof readDataTexts>>

/** Changes with what is inferred: the definitions of an earlier version are made anew. */
const rulesVersion = '2'

export async function readSchema({ dataSchema, foreignKeySuffix }: Config) {
  const schema = dataSchema === undefined ? undefined : await readSource(dataSchema)
  return { schema, schemaHash: hashTexts(schema?.text ?? '', foreignKeySuffix, rulesVersion) }
}

export async function parseData(config: Config, { file, schema }: DataTexts) {
  const { dataId: idField, foreignKeySuffix, jsonServer } = config
  const { data, ...parsed } = await parseFile(config, file)
  const kinds = findOtherKind(file.source, data)
  return collectProblems(async (reportOf) => {
    const report = reportOf(file.source)
    const schemas = await readSchemas(config, { schema, own: parsed.ownSchema }, reportOf)
    const inferredFrom = toFileName(file.source)
    const inference = { idField, foreignKeySuffix, jsonServer, inferredFrom }
    const resources = defineData(data, { ...inference, schemas, report })
    const described = parseResponses(parsed.responses, toStubLimits(config, file.source), report)
    const total = resources.reduce((sum, { records }) => sum + records.length, 0)
    return { ...parsed, resources, described, total, kinds }
  }, kinds)
}

/** A file of stubs can name files of its folder. */
export function toStubLimits(config: Config, source: string): DescriptionLimits {
  return isUrl(source) ? config : { ...config, folder: dirname(resolve(source)) }
}

export function parseResponses(value: unknown = {}, limits: DescriptionLimits, report: Report) {
  return parseStubs(value, limits, (reason, at = '') => {
    report(`/$responses${at}`, reason)
  })
}

export async function parseFile({ dataId, maxJsonDepth }: Config, file: DataText) {
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
export async function readSchemas(
  { dataFile = '', maxJsonDepth }: Config,
  { schema, own }: { schema: DataText | undefined; own: unknown },
  reportOf: ReportOf,
) {
  if (schema)
    return parseSchemas(await parseDataText(schema, maxJsonDepth), reportOf(schema.source))
  // A URL in $schema is for editors.
  return parseSchemas(isObject(own) ? own : {}, reportOf(dataFile, '/$schema'))
}

export const maxShownProblems = 20

type ReportOf = (source: string, parent?: string) => Report

/** Throws all problems that are reported as one error. */
export async function collectProblems<Result>(
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
