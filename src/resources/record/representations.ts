import type { FastifyReply } from 'fastify'
import { toCsvLine } from '../../http/response/csv.ts'
import { toContentType } from '../../http/response/send.ts'
import { html, type Html } from '../../site/html.ts'
import { renderPage, renderTime, type Page } from '../../site/page.ts'
import type { Document, Pages, StoredRecord } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { findValue, toRecordName, valueToHtml, valueToText } from '../field-values.ts'

export const recordTypes = ['text/html', 'application/json', 'text/plain'] as const
export type RecordType = (typeof recordTypes)[number]

export interface ShownRecord {
  resource: Resource
  record: StoredRecord
  type: RecordType
  flash?: Html | undefined
}

export function sendRecord(reply: FastifyReply, shown: ShownRecord): FastifyReply {
  return reply.type(toContentType(shown.type)).send(recordToContent(reply, shown))
}

export function recordToContent(
  reply: FastifyReply,
  { resource, record, type, flash }: ShownRecord,
): string {
  switch (type) {
    case 'text/html':
      return renderPage(reply, recordPage(resource, record, flash))
    case 'application/json':
      return JSON.stringify(toRepresentation(resource, record))
    case 'text/plain':
      return recordToText(resource, record)
  }
}

/** The same after a restart and on every replica; weak for a page, which has more than the record. */
export function toTag(record: StoredRecord, type: RecordType = 'application/json'): string {
  // A deleted record may be created again under the same id: the time tells both apart.
  const state = `${String(record.version)}-${Date.parse(record.createdAt).toString(36)}`
  const tag = `"${state}-${tagSuffixes[type]}"`
  return type === 'text/html' ? `W/${tag}` : tag
}

const tagSuffixes = { 'text/html': 'html', 'application/json': 'json', 'text/plain': 'text' }

export function toRepresentation(
  { visible }: Resource,
  { id, document, createdAt, updatedAt }: StoredRecord,
  fields: readonly string[] = visible.map(({ name }) => name),
): Document {
  const all = { ...document, _id: id, createdAt, updatedAt }
  const shown = fields.map((name): [string, unknown] => [name, findValue(all, name)])
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined))
}

function recordToText(resource: Resource, record: StoredRecord): string {
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

export function recordToCsv(shown: Document, fields: readonly string[]): string {
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

function recordPage(resource: Resource, record: StoredRecord, flash?: Html): Page {
  const path = `${resource.path}/${record.id}`
  const name = toRecordName(resource, record)
  const figure = resource.createFigure?.()
  figure?.add(record, { label: name, href: path })
  return {
    title: name,
    main: html`<nav class="back" aria-label="Breadcrumb"><a href="${resource.path}">All ${resource.title.toLowerCase()}</a></nav>
${flash ?? ''}<div class="record">
${recordDetails(resource, record)}
${figure?.toHtml() ?? ''}</div>
<div class="actions">
<p><a class="button" href="${path}/edit">Edit</a></p>
<details class="confirm"><summary>Delete</summary>
<form method="post" action="${path}">${methodInputs('DELETE', toTag(record))}
<p>Delete this ${resource.singular}? This cannot be undone.</p>
<p><button type="submit" class="danger">Yes, delete it</button></p></form>
</details>
</div>
<p class="quiet types">Also available as <a href="${path}.json" type="application/json">JSON</a> and <a href="${path}.txt" type="text/plain">text</a>.</p>`,
  }
}

export function recordDetails({ readable }: Resource, record: StoredRecord): Html {
  const items = readable.map((field) => {
    const value = findValue(record.document, field.name)
    if (value === undefined || value === '') return ''
    const kind = field.kind === 'long text' ? html` class="prose"` : ''
    return html`<dt>${field.label}</dt><dd${kind}>${valueToHtml(field, value)}</dd>\n`
  })
  return html`<dl>
${items}<dt>Created</dt><dd>${renderTime(record.createdAt)}</dd>
<dt>Updated</dt><dd>${renderTime(record.updatedAt)}</dd>
<dt>Id</dt><dd><code>${record.id}</code></dd>
</dl>`
}

export function methodInputs(method: 'PATCH' | 'DELETE', etag: string): Html {
  return html`<input type="hidden" name="_method" value="${method}"><input type="hidden" name="_if_match" value="${etag}">`
}
