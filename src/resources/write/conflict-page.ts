import { html, type Html } from '../../site/html.ts'
import { renderTime, type Page } from '../../site/page.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { toRecordPath } from '../context.ts'
import type { Field, Resource } from '../definition.ts'
import { findValue, toRecordName, valueToInputText } from '../field-values.ts'
import type { ToParentLink } from '../relations/related-html.ts'
import { renderMethodInputs, recordDetails } from '../record/record-page.ts'
import { toTag } from '../record/representations.ts'
import { renderRecordForm } from './form-page.ts'

interface Conflict {
  fields?: Document | undefined
  hasHeader: boolean
  toParentLink: ToParentLink
}

export function renderConflictPage(
  resource: Resource,
  current: StoredRecord,
  { fields, hasHeader, toParentLink }: Conflict,
): Page {
  const { singular } = resource
  const name = toRecordName(resource, current)
  const path = toRecordPath(resource, current.id)
  const state = fields ? 'Not saved' : 'Not deleted'
  return {
    title: `${state}: ${name} has changed`,
    heading: `This ${singular} has changed since you opened it`,
    styles: ['lists.css'],
    scripts: ['edit-form.js', 'records.js'],
    back: [path, name],
    main: html`<div class="notice error" role="alert" tabindex="-1" autofocus>
<p>${state}: this ${singular} was changed at ${renderTime(current.updatedAt)}. Choose which version to keep.</p>
</div>
${fields ? comparison(resource, current, { fields, toParentLink }) : recordDetails(resource, current, toParentLink)}
<div class="actions">
${fields ? saveMineForm(resource, current, fields) : html`<form method="post" action="${path}" data-deletes="${name}">${renderMethodInputs('DELETE', toTag(current))}<button type="submit" class="danger">Delete it anyway</button></form>`}
<a class="button second" href="${path}">${fields ? 'Keep the current version' : 'Keep it'}</a>
</div>
${fields ? editMine(resource, current, fields) : ''}
<p class="quiet">${hasHeader ? html`<code>If-Match</code>` : html`The field <code>_if_match</code>`} named an earlier version, so the response is <a href="/problems/precondition-failed">412 Precondition Failed</a>.</p>`,
  }
}

function editMine(resource: Resource, current: StoredRecord, fields: Document): Html {
  const { id, document } = current
  const values = { ...document, ...fields }
  const form = { _action: 'edit', id, etag: toTag(current), stored: document, values } as const
  return html`<details${hasPassword(resource, fields) ? html` open` : ''}><summary>Edit my version before saving it</summary>
<p>Saving this form replaces the current version.</p>
${renderRecordForm(resource, form)}</details>`
}

interface Mine {
  fields: Document
  toParentLink: ToParentLink
}

function comparison({ editable }: Resource, current: StoredRecord, mine: Mine): Html {
  return html`<section class="table versions" tabindex="0" aria-label="Both versions"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Your version</th><th scope="col">Current version</th></tr></thead>
<tbody>
${editable.map((field) => comparisonRow(field, current, mine))}</tbody>
</table></section>`
}

function comparisonRow(field: Field, current: StoredRecord, { fields, toParentLink }: Mine): Html {
  const { name, label, kind } = field
  if (kind === 'password') {
    // Whether the passwords differ stays secret.
    const mine = isTyped(fields, field) ? 'new: type it again below' : 'unchanged'
    return html`<tr><th scope="row">${label}</th><td class="quiet">${mine}</td><td class="quiet">not shown</td></tr>\n`
  }
  const toText = (document: Document) => valueToInputText(field, findValue(document, name))
  const theirs = toText(current.document)
  const mine = Object.hasOwn(fields, name) ? toText(fields) : theirs
  const toCell = (values: Document, text: string, other: string) => {
    const document = { ...current.document, ...values }
    const link = toParentLink({ ...current, document }, name)
    return html`<td dir="auto">${link ?? markDifference(text, other)}</td>`
  }
  const cells = [toCell(fields, mine, theirs), toCell({}, theirs, mine)]
  const differs = mine === theirs ? '' : html` <em>differs</em>`
  return html`<tr><th scope="row">${label}${differs}</th>${cells}</tr>\n`
}

function markDifference(text: string, other: string): Html {
  if (text === '') return html`<span class="quiet">empty</span>`
  const [one = [], two = []] = [text, other].map((each) => each.split(/(\s+)/))
  let start = 0
  while (start < one.length && one[start] === two[start]) start += 1
  let end = one.length
  const shift = two.length - one.length
  while (end > start && end + shift > start && one[end - 1] === two[end + shift - 1]) end -= 1
  const marked = one.slice(start, end).join('')
  return html`${one.slice(0, start).join('')}${marked && html`<mark>${marked}</mark>`}${one.slice(end).join('')}`
}

function saveMineForm(resource: Resource, current: StoredRecord, fields: Document): Html {
  if (hasPassword(resource, fields)) return html``
  const inputs = resource.editable
    .filter(({ name }) => Object.hasOwn(fields, name))
    .map((field) => {
      const text = valueToInputText(field, fields[field.name])
      return html`<input type="hidden" name="${field.inputName}" value="${text}">\n`
    })
  return html`<form method="post" action="${toRecordPath(resource, current.id)}/">
${renderMethodInputs(resource.editMethod, toTag(current))}
${inputs}<button type="submit">Save my version</button>
</form>
`
}

function hasPassword({ passwords }: Resource, fields: Document): boolean {
  return passwords.some((field) => isTyped(fields, field))
}

function isTyped(fields: Document, { name }: Field): boolean {
  const password = findValue(fields, name)
  return password !== undefined && password !== ''
}
