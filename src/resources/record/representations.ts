import { toCsvLine } from '../../http/response/csv.ts'
import type { Pages, StoredRecord } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { findValue, valueToText } from '../field-values.ts'

/** A record as clients see it: `_id`, the fields that may be read, and the two times. */
export type Representation = Readonly<Record<string, unknown>>

export function toRepresentation(
  { fields }: Resource,
  { id, document, createdAt, updatedAt }: StoredRecord,
): Representation {
  const shown: [string, unknown][] = [['_id', id]]
  for (const { name, kind } of fields) {
    const value = findValue(document, name)
    if (kind !== 'password' && value !== undefined) shown.push([name, value])
  }
  shown.push(['createdAt', createdAt], ['updatedAt', updatedAt])
  // As own members, `__proto__` too.
  return Object.fromEntries(shown)
}

/** Some of the fields, or all where `fields` is undefined. */
export function toProjection(
  resource: Resource,
  record: StoredRecord,
  fields: readonly string[] | undefined,
): Representation {
  const shown = toRepresentation(resource, record)
  if (fields === undefined) return shown
  return Object.fromEntries(Object.entries(shown).filter(([field]) => fields.includes(field)))
}

/** One line for each field. */
export function recordToText(resource: Resource, record: StoredRecord): string {
  return Object.entries(toRepresentation(resource, record))
    .map(([name, value]) => `${toLine(name)}: ${toLine(value)}\n`)
    .join('')
}

function toLine(value: unknown): string {
  return valueToText(value).replaceAll('\r', '\\r').replaceAll('\n', '\\n')
}

/** One line for each record: the id and the first field. */
export function toTextChunks(resource: Resource, pages: Pages): AsyncGenerator<string> {
  const [first] = resource.fields
  return toLines(pages, ({ id, document }) => {
    return `${id} ${toLine(findValue(document, first?.name ?? ''))}\n`
  })
}

/** A header with the names of the fields, and a line for each record (RFC 4180). */
export async function* toCsvChunks(
  resource: Resource,
  pages: Pages,
  fields: readonly string[],
): AsyncGenerator<string> {
  yield toCsvLine(fields)
  yield* toLines(pages, (record) => {
    const shown = toRepresentation(resource, record)
    return toCsvLine(fields.map((field) => toCell(findValue(shown, field))))
  })
}

function toCell(value: unknown): string | number {
  return typeof value === 'number' ? value : valueToText(value)
}

/** A JSON object on a line of its own for each record. */
export function toJsonLines(
  resource: Resource,
  pages: Pages,
  fields: readonly string[] | undefined,
): AsyncGenerator<string> {
  return toLines(pages, (record) => `${JSON.stringify(toProjection(resource, record, fields))}\n`)
}

async function* toLines(
  pages: Pages,
  toLine: (record: StoredRecord) => string,
): AsyncGenerator<string> {
  for await (const page of pages) yield page.map(toLine).join('')
}
