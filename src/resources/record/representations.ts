import { toCsvLine } from '../../http/response/csv.ts'
import type { Pages, StoredRecord } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'

/** A record as clients see it: `_id`, the fields that may be read, and the two times. */
export type Representation = Record<string, string | number>

export function toRepresentation({ fields }: Resource, record: StoredRecord): Representation {
  const shown: Representation = { _id: record.id }
  for (const { name, kind } of fields) {
    const value = record.document[name]
    if (kind !== 'password' && (typeof value === 'string' || typeof value === 'number')) {
      shown[name] = value
    }
  }
  shown.createdAt = record.createdAt
  shown.updatedAt = record.updatedAt
  return shown
}

/** One line for each thing there is to say; the line breaks of a value are escaped. */
export function recordToText(resource: Resource, record: StoredRecord): string {
  return Object.entries(toRepresentation(resource, record))
    .map(([name, value]) => `${name}: ${toLine(value)}\n`)
    .join('')
}

function toLine(value: string | number | undefined): string {
  return String(value).replaceAll('\r', '\\r').replaceAll('\n', '\\n')
}

/** One line for each record: the id and the field that names it. */
export async function* toTextChunks(resource: Resource, pages: Pages): AsyncGenerator<string> {
  const naming = resource.fields[0]?.name ?? '_id'
  for await (const page of pages) {
    yield page
      .map((record) => {
        const { _id, [naming]: name } = toRepresentation(resource, record)
        return `${String(_id)} ${toLine(name)}\n`
      })
      .join('')
  }
}

/** A header with the names of the fields, and a line for each record (RFC 4180). */
export async function* toCsvChunks(
  resource: Resource,
  pages: Pages,
  fields: readonly string[],
): AsyncGenerator<string> {
  yield toCsvLine(fields)
  for await (const page of pages) {
    yield page
      .map((record) => {
        const shown = toRepresentation(resource, record)
        return toCsvLine(fields.map((field) => shown[field]))
      })
      .join('')
  }
}

/** A JSON object on a line of its own for each record. */
export async function* toJsonLines(
  resource: Resource,
  pages: Pages,
  fields: readonly string[] | undefined,
): AsyncGenerator<string> {
  for await (const page of pages) {
    yield page
      .map((record) => `${JSON.stringify(toProjection(resource, record, fields))}\n`)
      .join('')
  }
}

/** What is said of some of the fields; of all where they are undefined, in a third of the time. */
export function toProjection(
  resource: Resource,
  record: StoredRecord,
  fields: readonly string[] | undefined,
): Representation {
  const shown = toRepresentation(resource, record)
  if (fields === undefined) return shown
  return Object.fromEntries(Object.entries(shown).filter(([field]) => fields.includes(field)))
}
