import { toCsvLine } from '../../http/response/csv.ts'
import type { Document, Pages, StoredRecord } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { findValue, valueToText } from '../field-values.ts'

export const recordTypes = ['text/html', 'application/json', 'text/plain'] as const
export type RecordType = (typeof recordTypes)[number]

/** The same after a restart and on every replica; weak for a page, which has more than the record. */
export function toTag(record: StoredRecord, type: RecordType = 'application/json'): string {
  // A deleted record may be created again under the same id: the time tells both apart.
  const state = `${String(record.version)}-${Date.parse(record.createdAt).toString(36)}`
  switch (type) {
    case 'application/json':
      return `"${state}-json"`
    case 'text/plain':
      return `"${state}-text"`
    case 'text/html':
      return `W/"${state}-html"`
  }
}

export function toRepresentation(
  { visible }: Resource,
  { id, document, createdAt, updatedAt }: StoredRecord,
  fields: readonly string[] = visible.map(({ name }) => name),
): Document {
  const all = { ...document, _id: id, createdAt, updatedAt }
  const shown = fields.map((name): [string, unknown] => [name, findValue(all, name)])
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined))
}

export function recordToText(resource: Resource, record: StoredRecord): string {
  return Object.entries(toRepresentation(resource, record))
    .map(([name, value]) => `${toLine(name)}: ${toLine(value)}\n`)
    .join('')
}

function toLine(value: unknown): string {
  return valueToText(value).replaceAll('\r', '\\r').replaceAll('\n', '\\n')
}

export function recordToLine({ fields }: Resource, { id, document }: StoredRecord): string {
  return `${id} ${toLine(findValue(document, fields[0]?.name ?? ''))}\n`
}

export function recordToCsv(
  resource: Resource,
  record: StoredRecord,
  fields: readonly string[],
): string {
  const shown = toRepresentation(resource, record, fields)
  const values = fields.map((field) => findValue(shown, field))
  return toCsvLine(values.map((value) => (typeof value === 'number' ? value : valueToText(value))))
}

export async function* toLines(
  pages: Pages,
  toLine: (record: StoredRecord) => string,
  heading = '',
): AsyncGenerator<string> {
  yield heading
  for await (const page of pages) yield page.map(toLine).join('')
}
