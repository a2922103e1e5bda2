import { isObject } from '../config/is-object.ts'
import { findNearest } from '../config/find-nearest.ts'
import { formatCount, formatNumber } from '../config/format-count.ts'
import { findValue } from '../resources/field-values.ts'
import type { Document } from '../stores/records/records.ts'
import { findFormat } from './infer-schema.ts'
import { withoutSecrets } from './read-data-file.ts'
import { findReferences, type DataResource } from './report-problems.ts'

const maxCompared = 1000
/** Rare values are reported as mistakes if they are at most this share of the usual ones. */
const maxShare = 0.25

export function findOddities({ definition: { name }, records }: DataResource): string[] {
  const documents = records.slice(0, maxCompared).map(({ document }) => document)
  const names = [...new Set(documents.flatMap((document) => Object.keys(document)))]
  return names.flatMap((field) => {
    const owners = documents.flatMap((document, index) =>
      Object.hasOwn(document, field) ? index : [],
    )
    const toPlaces = (indexes: readonly number[]) =>
      listPlaces(indexes.map((index) => `/${name}/${String(index)}/${field}`))
    const isRare = owners.length <= maxShare * documents.length
    const others = names.filter((other) => other !== field)
    const nearest = isRare ? findNearest(field, others) : undefined
    const isEither = (meant: string) =>
      documents.every((each) => Object.hasOwn(each, meant) !== Object.hasOwn(each, field))
    if (nearest !== undefined && isEither(nearest)) {
      const count = `${formatNumber(owners.length)} of ${formatCount(documents.length, 'record')}`
      return `${field} occurs in ${count} of ${name}: did you mean ${nearest}? ${toPlaces(owners)}`
    }
    const values = documents.map((document) => findValue(document, field))
    // A text can look like a URL by chance: only a text among dates is reported, not a date among texts.
    const rare = findRare(values, toTypeName) ?? findRare(values, toFormatName)
    if (!rare || (rare.most === 'text' && typeof values[rare.indexes[0]] === 'string')) return []
    const { indexes, few, most, count } = rare
    return `${field} is ${few} in ${formatCount(indexes.length, 'record')} of ${name}, and ${most} in ${formatNumber(count)}: ${toPlaces(indexes)}`
  })
}

/** References that no schema declares may refer to records that are not in the file. */
export function findDangling(resources: readonly DataResource[]): string[] {
  return findReferences(resources).flatMap(({ name, field, resource, places }) => {
    if (places.length === 0) return []
    const records = formatCount(places.length, 'record')
    return `${field} of ${records} of ${name} is not an id of ${resource}: ${listPlaces(places)}`
  })
}

/** The ids of json-server 1 are text, and only a text refers to them. */
export function findNumberReferences(resources: readonly DataResource[]): string[] {
  const fields = findReferences(resources).flatMap(({ name, field, isToList }) => {
    const records = resources.find(({ definition }) => definition.name === name)?.records ?? []
    const isNumber = records.some(({ document }) => typeof document[field] === 'number')
    return isToList && isNumber ? [`${field} of ${name}`] : []
  })
  if (fields.length === 0) return []
  const reason = 'ids are text in json-server 1, so numbers refer to no record'
  return [`${listPlaces(fields)} ${fields.length === 1 ? 'has' : 'have'} numbers: ${reason}`]
}

const maxPlaces = 20

export function listPlaces(places: readonly string[]): string {
  const more = places.length - maxPlaces
  return places.slice(0, maxPlaces).join(', ') + (more > 0 ? ` and ${String(more)} more` : '')
}

function findRare(values: readonly unknown[], toName: (value: unknown) => string) {
  const given = [...values.keys()].filter((index) => (values[index] ?? null) !== null)
  const byName = Map.groupBy(given, (index) => toName(values[index]))
  const [most, few] = [...byName].toSorted(([, one], [, other]) => other.length - one.length)
  const [first, ...others] = few?.[1] ?? []
  if (!most || !few || first === undefined || few[1].length > maxShare * most[1].length)
    return undefined
  return { indexes: [first, ...others] as const, few: few[0], most: most[0], count: most[1].length }
}

const formatNames = {
  date: 'a date',
  'date-time': 'a time',
  email: 'an email address',
  uri: 'a URL',
}

function toFormatName(value: unknown): string {
  const format = typeof value === 'string' ? findFormat([value]) : undefined
  return format ? formatNames[format] : toTypeName(value)
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
}

function toTypeName(value: unknown): string {
  return typeNames[typeof value] ?? (isObject(value) ? 'an object' : 'a list')
}

export function findOtherKind(source: string, { openapi, swagger, log }: Document): string[] {
  const isApi = [openapi, swagger].some((version) => /^[23](\.|$)/.test(String(version)))
  const isArchive = isObject(log) && Array.isArray(log.entries)
  if (!isApi && !isArchive) return []
  const kind = isApi
    ? 'an OpenAPI document: its members are served as data, and not the API that it describes'
    : 'an HTTP archive (HAR): its members are served as data, and no exchange is replayed'
  return [`${withoutSecrets(source)} is ${kind}`]
}
