import { previousPrefix } from '../../http/request/parameters.ts'
import { html, type Html } from '../../site/html.ts'
import { renderTime, type Page } from '../../site/page.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { toRecordPath } from '../context.ts'
import type { Field, Resource } from '../definition.ts'
import { findValue, toFormText, toRecordName, valueToInputText } from '../field-values.ts'
import type { ToParentLink } from '../relations/related-html.ts'
import { renderMethodInputs, recordDetails } from '../record/record-page.ts'
import { toTag } from '../record/representations.ts'
import { renderRecordForm } from './form-page.ts'

interface Conflict {
  /** What was changed in the form, and what it showed before; undefined for a deletion. */
  edit?: Edit | undefined
  hasHeader: boolean
  toParentLink: ToParentLink
}

export interface Edit {
  fields: Document
  /** It is empty if the form does not name what it showed: then each difference is a conflict. */
  opened: Document
}

export function renderConflictPage(
  resource: Resource,
  current: StoredRecord,
  { edit, hasHeader, toParentLink }: Conflict,
): Page {
  const { singular } = resource
  const name = toRecordName(resource, current)
  const path = toRecordPath(resource, current.id)
  const state = edit ? 'Not saved' : 'Not deleted'
  const rows = edit && resource.editable.map((field) => toRow(field, current, edit))
  const isOpen = rows?.some(({ side }) => side === 'both') === true
  const advice = !edit
    ? 'Choose whether to delete it.'
    : isOpen
      ? 'Choose a value where both of you changed the same field. Other changes are combined.'
      : 'You changed other fields, so that both changes can be saved together.'
  return {
    title: `${state}: ${name} has changed`,
    heading: `This ${singular} has changed since you opened it`,
    styles: ['lists.css'],
    scripts: ['edit-form.js', 'records.js'],
    back: [path, name],
    main: html`<div class="notice error" role="alert" tabindex="-1" autofocus>
<p>${state}: this ${singular} was changed at ${renderTime(current.updatedAt)}. ${advice}</p>
</div>
${edit && rows ? mergeForm(resource, current, { edit, rows, toParentLink }) : deletion(resource, current, toParentLink)}
<p class="quiet">${hasHeader ? html`<code>If-Match</code>` : html`The field <code>_if_match</code>`} named an earlier version, so the response is <a href="/problems/precondition-failed">412 Precondition Failed</a>.</p>`,
  }
}

function deletion(resource: Resource, current: StoredRecord, toParentLink: ToParentLink): Html {
  const path = toRecordPath(resource, current.id)
  const name = toRecordName(resource, current)
  return html`${recordDetails(resource, current, toParentLink)}
<div class="actions">
<form method="post" action="${path}" data-deletes="${name}">${renderMethodInputs('DELETE', toTag(current))}<button type="submit" class="danger">Delete it anyway</button></form>
<a class="button second" href="${path}">Keep it</a>
</div>`
}

interface Row {
  field: Field
  /** The side that changed the field; `both` changed it to different values. */
  side: 'none' | 'yours' | 'theirs' | 'both'
  opened: string | undefined
  yours: string
  now: string
}

function toRow(field: Field, { document }: StoredRecord, { fields, opened }: Edit): Row {
  const toText = (values: Document) =>
    valueToInputText(field, findValue(values, field.name)).replaceAll('\r\n', '\n')
  const isKnown = Object.hasOwn(opened, field.name) || Object.keys(opened).length > 0
  const before = isKnown ? toFormText(toText(opened)) : undefined
  const now = toText(document)
  const yours = Object.hasOwn(fields, field.name) ? toText(fields) : undefined
  const isTheirs = before !== undefined && before !== toFormText(now)
  const texts = { field, opened: before, now, yours: yours ?? before ?? now }
  if (field.kind === 'password' || yours === undefined || yours === now)
    return { ...texts, side: isTheirs && field.kind !== 'password' ? 'theirs' : 'none' }
  return { ...texts, side: before === undefined || isTheirs ? 'both' : 'yours' }
}

interface Merge {
  edit: Edit
  rows: readonly Row[]
  toParentLink: ToParentLink
}

/** Also without a script: the form sends the chosen values, as an edit of the current version. */
function mergeForm(resource: Resource, current: StoredRecord, merge: Merge): Html {
  const { edit, rows } = merge
  const path = toRecordPath(resource, current.id)
  const hasNewPassword = resource.passwords.some((field) => isTyped(edit.fields, field))
  const table = html`<section class="table versions" tabindex="0" aria-label="The versions"><table>
<thead><tr><th scope="col">Field</th><th scope="col">When you opened it</th><th scope="col">Yours</th><th scope="col">Now</th></tr></thead>
<tbody>
${rows.map((row) => renderRow(row, current, { ...merge, isFixed: hasNewPassword }))}</tbody>
</table></section>`
  const keep = html`<a class="button second" href="${path}">Keep the current version</a>`
  const save = html`<form method="post" action="${path}/" class="merge">
${renderMethodInputs(resource.editMethod, toTag(current))}
${rows.map((row) => renderSent(row))}${table}
<p class="actions"><button type="submit">Save the merged version</button> ${keep}</p></form>`
  return html`${hasNewPassword ? html`${table}<p class="actions">${keep}</p>` : save}
${editMine(resource, current, edit.fields, hasNewPassword)}`
}

/** The value that a choice of the current one leaves unchanged, and the value that only this side changed. */
function renderSent({ field, side, yours, now }: Row): Html {
  if (side !== 'both' && side !== 'yours') return html``
  const mine = html`<input type="hidden" name="${field.inputName}" value="${yours}">\n`
  return html`<input type="hidden" name="${previousPrefix}${field.inputName}" value="${toFormText(now)}">
${side === 'yours' ? mine : ''}`
}

const notes = {
  none: '',
  yours: 'yours is saved',
  theirs: 'the new value stays',
  both: 'choose one',
}

function renderRow(
  { field, side, opened, yours, now }: Row,
  current: StoredRecord,
  { edit, toParentLink, isFixed }: Merge & { isFixed: boolean },
): Html {
  const { name, label, kind } = field
  if (kind === 'password') {
    // Whether the passwords differ stays secret.
    const mine = isTyped(edit.fields, field) ? 'new: type it again below' : 'unchanged'
    return html`<tr><th scope="row">${label}</th><td class="quiet">not shown</td><td class="quiet">${mine}</td><td class="quiet">not shown</td></tr>\n`
  }
  const toCell = (values: Document, text: string, other: string, canChoose = false) => {
    const document = { ...current.document, ...values }
    const link = toParentLink({ ...current, document }, name)
    const shown = link ?? markDifference(text, other)
    if (!canChoose || isFixed || side !== 'both') return html`<td dir="auto">${shown}</td>`
    return html`<td><label dir="auto"><input type="radio" name="${field.inputName}" value="${toFormText(text)}" required> ${shown}</label></td>`
  }
  const before =
    opened === undefined
      ? html`<td class="quiet">not known</td>`
      : toCell(edit.opened, opened, opened)
  const mine = Object.hasOwn(edit.fields, name) ? edit.fields : edit.opened
  const note = notes[side] && html` <em>${notes[side]}</em>`
  return html`<tr class="${side}"><th scope="row">${label}${note}</th>${before}${toCell(mine, yours, now, true)}${toCell({}, now, yours, true)}</tr>\n`
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

function editMine(
  resource: Resource,
  current: StoredRecord,
  fields: Document,
  isOpen: boolean,
): Html {
  const { id, document } = current
  const values = { ...document, ...fields }
  const form = { _action: 'edit', id, etag: toTag(current), stored: document, values } as const
  return html`<details${isOpen ? html` open` : ''}><summary>Edit my version before saving it</summary>
<p>Saving this form replaces the current version.</p>
${renderRecordForm(resource, form)}</details>`
}

function isTyped(fields: Document, { name }: Field): boolean {
  const password = findValue(fields, name)
  return password !== undefined && password !== ''
}
