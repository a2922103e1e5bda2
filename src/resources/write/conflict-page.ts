import { html, type Html } from '../../site/html.ts'
import { type Page, renderTime } from '../../site/page.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'
import { findValue, toRecordName, valueToInputText } from '../field-values.ts'
import { methodInputs, recordDetails, toTag } from '../record/representations.ts'
import { recordForm } from './form-page.ts'

interface Conflict {
  current: StoredRecord
  fields: Document
}

/** For a record that was changed after its page was opened; without `fields`, of a deletion. */
export function conflictPage(resource: Resource, current: StoredRecord, fields?: Document): Page {
  const { singular, path } = resource
  const { id, updatedAt, document } = current
  const etag = toTag(current)
  const name = toRecordName(resource, current)
  const state = fields ? 'Not saved' : 'Not deleted'
  const form = fields && { _action: 'edit' as const, id, etag, values: { ...document, ...fields } }
  return {
    title: `${state}: ${name} has changed`,
    heading: `This ${singular} has changed since you opened it`,
    scripts: ['edit-form.js'],
    main: html`<nav class="back" aria-label="Breadcrumb"><a href="${path}/${id}">${name}</a></nav>
<div class="notice error" role="alert" tabindex="-1" autofocus>
<p>${state}: this ${singular} was changed at ${renderTime(updatedAt)}. Choose what to do.</p>
</div>
${fields ? comparison(resource, { current, fields }) : recordDetails(resource, current)}
<div class="actions">
${fields ? saveMineForm(resource, { current, fields }) : html`<form method="post" action="${path}/${id}">${methodInputs('DELETE', etag)}<button type="submit" class="danger">Delete it anyway</button></form>`}
<p><a class="button second" href="${path}/${id}">${fields ? 'Discard my changes' : 'Keep it'}</a></p>
</div>
${
  form
    ? html`<h2>Edit my version</h2>
<p>Saving this form replaces the current version.</p>
${recordForm(resource, form)}`
    : ''
}
<p class="quiet"><code>If-Match</code> named an earlier version, so the response is <a href="/problems/precondition-failed">412 Precondition Failed</a>.</p>`,
  }
}

function comparison({ fields }: Resource, conflict: Conflict): Html {
  return html`<section class="table versions" tabindex="0" aria-label="Both versions"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Your version</th><th scope="col">Current version</th></tr></thead>
<tbody>
${fields.map((field) => comparisonRow(field, conflict))}</tbody>
</table></section>`
}

function comparisonRow(field: Field, { current, fields }: Conflict): Html {
  const { name, label, kind } = field
  if (kind === 'password') {
    // Whether the passwords differ stays secret.
    const mine = isTyped(fields, field) ? 'new: type it again below' : 'unchanged'
    return html`<tr><th scope="row">${label}</th><td class="quiet">${mine}</td><td class="quiet">not shown</td></tr>\n`
  }
  const toCell = (document: Document) => {
    const text = valueToInputText(field, findValue(document, name))
    return text === '' ? html`<span class="quiet">empty</span>` : html`${text}`
  }
  const theirs = toCell(current.document)
  const mine = Object.hasOwn(fields, name) ? toCell(fields) : theirs
  return mine.markup === theirs.markup
    ? html`<tr><th scope="row">${label}</th><td>${mine}</td><td>${theirs}</td></tr>\n`
    : html`<tr><th scope="row">${label} <em>differs</em></th><td><mark>${mine}</mark></td><td><mark>${theirs}</mark></td></tr>\n`
}

function saveMineForm(resource: Resource, { current, fields }: Conflict): Html {
  if (resource.passwords.some((field) => isTyped(fields, field))) return html``
  const inputs = resource.readable
    .filter(({ name }) => Object.hasOwn(fields, name))
    .map((field) => {
      const text = valueToInputText(field, fields[field.name])
      return html`<input type="hidden" name="${field.inputName}" value="${text}">\n`
    })
  return html`<form method="post" action="${resource.path}/${current.id}/">
${methodInputs('PATCH', toTag(current))}
${inputs}<button type="submit">Save my version</button>
</form>
`
}

function isTyped(fields: Document, { name }: Field): boolean {
  const password = findValue(fields, name)
  return password !== undefined && password !== ''
}
