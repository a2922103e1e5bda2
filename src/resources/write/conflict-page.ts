import { explainProblem, type FieldProblem } from '../../http/errors/http-error.ts'
import { previousPrefix } from '../../http/request/parameters.ts'
import { html, type Html } from '../../site/html.ts'
import { renderTime, type Page } from '../../site/page.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { toRecordPath, type ResourceContext } from '../context.ts'
import type { Field, Resource } from '../definition.ts'
import {
  findValue,
  toFormText,
  toRecordName,
  valueToHtml,
  valueToInputText,
} from '../field-values.ts'
import { renderRemoved } from '../relations/plan-removal.ts'
import type { ToParentLink } from '../relations/relations.ts'
import { renderMethodInputs, recordDetails } from '../record/record-page.ts'
import { toTag } from '../record/representations.ts'
import type { FormState } from './form-input.ts'
import { renderRecordForm } from './form-page.ts'

interface Conflict {
  /** What was changed in the form, and what it showed before; undefined for a deletion. */
  edit?: Edit | undefined
  hasHeader: boolean
  toParentLink: ToParentLink
  choices: NonNullable<FormState['choices']>
}

export interface Edit {
  fields: Document
  /** It is empty if the form does not name what it showed: then each difference is a conflict. */
  opened: Document
  /** Of the changes, made to the current version. */
  problems: readonly FieldProblem[]
}

export function renderConflictPage(
  context: ResourceContext,
  current: StoredRecord,
  { edit, hasHeader, toParentLink, choices }: Conflict,
): Page {
  const { resource } = context
  const { singular } = resource
  const name = toRecordName(resource, current)
  const path = toRecordPath(resource, current.id)
  const state = edit ? 'Not saved' : 'Not deleted'
  const rows = edit && resource.editable.map((field) => toRow(field, current, edit))
  const advice = edit && rows ? toAdvice(edit, rows) : 'Choose whether to delete it.'
  return {
    title: `${state}: ${name} has changed`,
    heading: `This ${singular} has changed since you opened it`,
    styles: ['lists.css'],
    scripts: ['edit-form.js', 'records.js'],
    back: [path, name],
    main: html`<div class="notice error" role="alert" tabindex="-1" autofocus>
<p>${state}: this ${singular} was changed at ${renderTime(current.updatedAt)}. ${advice}</p>
</div>
${edit && rows ? mergeForm(resource, current, { edit, rows, toParentLink, choices }) : deletion(context, current, toParentLink)}
<p class="quiet">${hasHeader ? html`<code>If-Match</code>` : html`The field <code>_if_match</code>`} named an earlier version, so the response is <a href="/problems/precondition-failed">412 Precondition Failed</a>.</p>`,
  }
}

function toAdvice({ problems }: Edit, rows: readonly Row[]): string {
  if (problems.length > 0)
    return 'Some of your values also have errors. Correct them in the form below.'
  const sides = new Set(rows.map(({ side }) => side))
  if (sides.has('both'))
    return 'Choose a value where both of you changed the same field. Other changes are combined.'
  return sides.has('yours')
    ? 'You changed other fields, so that both changes can be saved together.'
    : 'Your version is equal to the current one.'
}

function deletion(context: ResourceContext, current: StoredRecord, toParentLink: ToParentLink) {
  const { resource } = context
  const path = toRecordPath(resource, current.id)
  const name = toRecordName(resource, current)
  return html`${recordDetails(resource, current, toParentLink)}
${renderRemoved(context, 'it')}<div class="actions">
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

function toRow(field: Field, { document }: StoredRecord, edit: Edit): Row {
  const { fields, opened, problems } = edit
  const hasProblem = problems.some((problem) => problem.field === field.name)
  const toText = (values: Document) => {
    const value = findValue(values, field.name)
    const typed = hasProblem && typeof value === 'string' ? value : valueToInputText(field, value)
    return typed.replaceAll('\r\n', '\n')
  }
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

interface Merge extends Pick<Conflict, 'toParentLink' | 'choices'> {
  edit: Edit
  rows: readonly Row[]
}

/** It works without a script: the form sends the chosen values, as an edit of the current version. */
function mergeForm(resource: Resource, current: StoredRecord, merge: Merge): Html {
  const { edit, rows } = merge
  const path = toRecordPath(resource, current.id)
  const hasNewPassword = resource.passwords.some((field) => isTyped(edit.fields, field))
  const isFixed = hasNewPassword || edit.problems.length > 0
  const table = renderVersions(resource, current, { ...merge, isFixed })
  const keep = html`<a class="button second" href="${path}">Keep the current version</a>`
  const save = html`<form method="post" action="${path}/" class="merge">
${renderMethodInputs(resource.editMethod, toTag(current))}
${rows.map((row) => renderSent(row))}${table}
<p class="actions"><button type="submit">Save the merged version</button> ${keep}</p></form>`
  return html`${isFixed ? html`${table}<p class="actions">${keep}</p>` : save}
${editMine(resource, current, { ...merge, isOpen: isFixed })}`
}

interface Versions extends Merge {
  /** Whether the table has no choices, because only the form below can be sent. */
  isFixed: boolean
}

function renderVersions(resource: Resource, current: StoredRecord, merge: Versions): Html {
  const { edit, rows, toParentLink } = merge
  const isPassword = ({ field }: Row) => field.kind === 'password'
  const changed = rows.filter((row) =>
    isPassword(row) ? isTyped(edit.fields, row.field) : row.side !== 'none',
  )
  const equal = rows.filter((row) => !isPassword(row) && row.side === 'none')
  const readable = equal.map(({ field }) => field)
  const table = html`<section class="table versions" tabindex="0" aria-label="The versions"><table>
<thead><tr><th scope="col">Field</th><th scope="col">When you opened it</th><th scope="col">Yours</th><th scope="col">Now</th></tr></thead>
<tbody>
${changed.map((row) => renderRow(row, current, merge))}</tbody>
</table></section>`
  return html`${changed.length === 0 ? '' : table}
<details><summary>What is equal in all versions</summary>
${recordDetails({ ...resource, readable }, current, toParentLink)}</details>`
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

const inForm = 'your value is in the form'
const notesOfForm = { ...notes, yours: inForm, both: inForm }

function renderRow(
  { field, side, opened, yours, now }: Row,
  current: StoredRecord,
  { edit, toParentLink, isFixed }: Merge & { isFixed: boolean },
): Html {
  const { name, label, kind } = field
  if (kind === 'password') {
    // Whether the passwords differ stays secret.
    return html`<tr><th scope="row">${label}</th><td class="quiet">not shown</td><td class="quiet">new: type it again below</td><td class="quiet">not shown</td></tr>\n`
  }
  const mine = Object.hasOwn(edit.fields, name) ? edit.fields : edit.opened
  const toCell = (values: Document, text: string, other: string, canChoose = false) => {
    const document = { ...current.document, ...values }
    const link = toParentLink({ ...current, document }, name)
    const shown = link ?? renderVersion(field, findValue(document, name), [text, other])
    if (!canChoose || isFixed || side !== 'both') return html`<td dir="auto">${shown}</td>`
    return html`<td><label dir="auto"><input type="radio" name="${field.inputName}" value="${values === mine ? text : toFormText(text)}" required> ${shown}</label></td>`
  }
  const before =
    opened === undefined
      ? html`<td class="quiet">not known</td>`
      : toCell(edit.opened, opened, opened)
  const problem = edit.problems.find((known) => known.field === name)
  const text = problem ? explainProblem(problem, label) : (isFixed ? notesOfForm : notes)[side]
  const note = text && html` <em${problem ? html` class="error"` : ''}>${text}</em>`
  return html`<tr class="${side}"><th scope="row">${label}${note}</th>${before}${toCell(mine, yours, now, true)}${toCell({}, now, yours, true)}</tr>\n`
}

/** As on the page of the record, with a mark on what differs from the other version. */
function renderVersion(field: Field, value: unknown, [text, other]: [string, string]): Html {
  if (text === '') return html`<span class="quiet">empty</span>`
  const isWhole = ['boolean', 'number', 'date', 'date-time', 'choice'].includes(field.kind)
  // A page shows the minutes of a time.
  const isFiner = field.kind === 'date-time' && text.slice(0, 16) === other.slice(0, 16)
  if (!isWhole || (isFiner && text !== other)) return markDifference(text, other)
  const shown = valueToHtml(field, value)
  return text === other ? shown : html`<mark>${shown}</mark>`
}

function markDifference(text: string, other: string): Html {
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
  { edit, choices, isOpen }: Merge & { isOpen: boolean },
): Html {
  const { id, document: stored } = current
  const { fields, problems } = edit
  const state = { stored, values: { ...stored, ...fields }, problems, choices }
  const form = { _action: 'edit', id, etag: toTag(current), ...state } as const
  return html`<details${isOpen ? html` open` : ''}><summary>Edit my version before saving it</summary>
<p>Saving this form replaces the current version.</p>
${renderRecordForm(resource, form)}</details>`
}

function isTyped(fields: Document, { name }: Field): boolean {
  const password = findValue(fields, name)
  return password !== undefined && password !== ''
}
