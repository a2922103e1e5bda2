import type { FastifyReply } from 'fastify'
import { toCsvLine } from '../../http/response/csv.ts'
import { toContentType } from '../../http/response/send.ts'
import type { Html } from '../../site/html.ts'
import { renderPage } from '../../site/page.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { findScope, toScopeKey } from '../../stores/sandboxes/sandboxes.ts'
import type { ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { findValue, valueToText } from '../field-values.ts'
import type { RelatedHtml } from '../relations/relations.ts'
import { renderRecordPage } from './record-page.ts'

export const recordTypes = ['text/html', 'application/json', 'text/plain'] as const
export type RecordType = (typeof recordTypes)[number]

export interface ShownRecord {
  context: ResourceContext
  record: StoredRecord
  type: RecordType
  flash?: Html | undefined
  related?: RelatedHtml | undefined
}

export function sendRecord(reply: FastifyReply, shown: ShownRecord): FastifyReply {
  return reply.type(toContentType(shown.type)).send(recordToContent(reply, shown))
}

export function recordToContent(
  reply: FastifyReply,
  { context, record, type, flash, related }: ShownRecord,
): string {
  const { resource } = context
  switch (type) {
    case 'text/html':
      return renderPage(
        reply,
        renderRecordPage(context, record, { etag: toTag(record), flash, related }),
      )
    case 'application/json':
      return JSON.stringify(
        resource.isValue ? (record.document.value ?? null) : toRepresentation(resource, record),
      )
    case 'text/plain':
      return recordToText(resource, record)
  }
}

/** The same after a restart and on every replica; weak for a page, which has more than the record. */
export function toTag(record: StoredRecord, type: RecordType = 'application/json'): string {
  const scope = toScopeKey()
  // A deleted record may be created again under the same id, and changed in another sandbox: the time tells both apart.
  const time = Date.parse(scope === '' ? record.createdAt : record.updatedAt)
  const state = `${String(record.version)}-${time.toString(36)}`
  const tag = `${state}-${tagSuffixes[type]}`
  // The page of who has joined to read has no buttons to change the record.
  const rights = findScope()?.sandbox.isReadOnly ? '-r' : ''
  return type === 'text/html' ? `W/"${tag}${scope}${rights}"` : `"${tag}"`
}

const tagSuffixes = { 'text/html': 'html', 'application/json': 'json', 'text/plain': 'text' }

export function toRepresentation(
  resource: Resource,
  { id, document, createdAt, updatedAt }: StoredRecord,
  fields: readonly string[] = findShownNames(resource, document),
): Document {
  const { storesId, isSingular, hasTimes } = resource
  const all = {
    ...document,
    ...(!storesId && !isSingular && { _id: id }),
    ...(hasTimes && { createdAt, updatedAt }),
  }
  const shown = fields.map((name): [string, unknown] => [name, findValue(all, name)])
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined))
}

export function findShownNames(resource: Resource, document: Document): readonly string[] {
  const { visible, passwords, allowsUnknown } = resource
  const names = visible.map(({ name }) => name)
  if (!allowsUnknown) return names
  const hidden = new Set(passwords.map(({ name }) => name))
  return [...new Set([...names, ...Object.keys(document)])].filter((name) => !hidden.has(name))
}

function recordToText(resource: Resource, record: StoredRecord): string {
  return Object.entries(toRepresentation(resource, record))
    .map(([name, value]) => `${toLine(name)}: ${toLine(value)}\n`)
    .join('')
}

function toLine(value: unknown): string {
  return valueToText(value).replaceAll('\r', '\\r').replaceAll('\n', '\\n')
}

export function recordToLine({ naming }: Resource, { id, document }: StoredRecord): string {
  return `${id} ${toLine(findValue(document, naming?.name ?? ''))}\n`
}

export function recordToCsv(shown: Document, fields: readonly string[]): string {
  const values = fields.map((field) => findValue(shown, field))
  return toCsvLine(values.map((value) => (typeof value === 'number' ? value : valueToText(value))))
}
