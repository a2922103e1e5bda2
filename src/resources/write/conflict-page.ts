import { html, type Html } from '../../site/html.ts'
import { page, time } from '../../site/page.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'
import { findValue, toRecordName, valueToInputText } from '../field-values.ts'
import { ifMatchInput, patchInputs, recordForm } from './form-page.ts'
import { recordDetails } from '../record/record-page.ts'
import { toTag } from '../record/validators.ts'

/** An edit of a state that is no longer current. */
interface Conflict {
  current: StoredRecord
  /** The fields of the form; undefined where one is to be removed. */
  fields: Document
}

/** Compares both versions of a record that was changed during the edit. */
export function conflictPage(resource: Resource, conflict: Conflict): Html {
  const { current, fields } = conflict
  const values = { ...current.document, ...fields }
  return stalePage(resource, current, {
    title: 'Not saved',
    message: html`Your changes were not saved: this ${resource.singular} was changed at ${time(current.updatedAt)}, after you opened it. Choose the version to keep.`,
    scripts: ['edit-form.js'],
    main: html`${comparison(resource, conflict)}
<div class="actions">
${saveMineForm(resource, conflict)}<p><a class="button second" href="${resource.path}/${current.id}">Keep the current version</a></p>
</div>
<h2>Continue editing</h2>
<p>The form has your version. Saving it replaces the current version.</p>
${recordForm(resource, { _action: 'edit', id: current.id, etag: toTag(current), values })}`,
  })
}

/** Shows the current version after a DELETE for an earlier one. */
export function removalConflictPage(resource: Resource, current: StoredRecord): Html {
  const path = `${resource.path}/${current.id}`
  return stalePage(resource, current, {
    title: 'Not deleted',
    message: html`The ${resource.singular} was not deleted: it was changed at ${time(current.updatedAt)}, after you opened it. This is the current version.`,
    main: html`${recordDetails(resource, current)}
<div class="actions">
<form method="post" action="${path}"><input type="hidden" name="_method" value="DELETE">${ifMatchInput(toTag(current))}<button type="submit" class="danger">Delete it anyway</button></form>
<p><a class="button second" href="${path}">Keep it</a></p>
</div>`,
  })
}

function stalePage(
  resource: Resource,
  current: StoredRecord,
  {
    title,
    message,
    main,
    ...more
  }: { title: string; message: Html; main: Html; scripts?: string[] },
): Html {
  const name = toRecordName(resource, current)
  return page({
    title: `${title}: ${name} has changed`,
    heading: `This ${resource.singular} was changed by someone else`,
    ...more,
    main: html`<nav class="back" aria-label="Breadcrumb"><a href="${resource.path}/${current.id}">${name}</a></nav>
<div class="notice error" role="alert" tabindex="-1" autofocus>
<p>${message}</p>
</div>
${main}
<p class="quiet">The request was for an earlier version, so its status is <a href="/problems/precondition-failed">412 Precondition Failed</a>.</p>`,
  })
}

function comparison({ fields }: Resource, conflict: Conflict): Html {
  const rows = fields.map((field) =>
    field.kind === 'password' ? passwordRow(field, conflict) : comparisonRow(field, conflict),
  )
  return html`<section class="table versions" tabindex="0" aria-label="Both versions"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Your version</th><th scope="col">Current version</th></tr></thead>
<tbody>
${rows}</tbody>
</table></section>`
}

function comparisonRow(field: Field, { current, fields }: Conflict): Html {
  const { name, label } = field
  const theirs = valueToInputText(field, findValue(current.document, name))
  const mine = Object.hasOwn(fields, name) ? valueToInputText(field, fields[name]) : theirs
  return mine === theirs
    ? html`<tr><th scope="row">${label}</th><td>${textOrEmpty(mine)}</td><td>${textOrEmpty(theirs)}</td></tr>\n`
    : html`<tr><th scope="row">${label} <em>differs</em></th><td><mark>${textOrEmpty(mine)}</mark></td><td><mark>${textOrEmpty(theirs)}</mark></td></tr>\n`
}

/** Does not tell whether the passwords differ. */
function passwordRow({ name, label }: Field, { fields }: Conflict): Html {
  const mine = isTyped(findValue(fields, name)) ? 'new: type it again below' : 'unchanged'
  return html`<tr><th scope="row">${label}</th><td class="quiet">${mine}</td><td class="quiet">not shown</td></tr>\n`
}

function textOrEmpty(text: string): Html {
  return text === '' ? html`<span class="quiet">empty</span>` : html`${text}`
}

/** Sends the same changes for the current state; a new password must be typed again. */
function saveMineForm(resource: Resource, { current, fields }: Conflict): Html {
  const isPassword = ({ kind }: Field) => kind === 'password'
  const hasNewPassword = resource.fields.some(
    (field) => isPassword(field) && isTyped(findValue(fields, field.name)),
  )
  if (hasNewPassword) return html``
  const inputs = resource.fields
    .filter((field) => !isPassword(field) && Object.hasOwn(fields, field.name))
    .map(
      (field) =>
        html`<input type="hidden" name="${field.inputName}" value="${valueToInputText(field, fields[field.name])}">\n`,
    )
  return html`<form method="post" action="${resource.path}/${current.id}/">
${patchInputs(toTag(current))}
${inputs}<button type="submit">Save mine</button>
</form>
`
}

function isTyped(password: unknown): boolean {
  return password !== undefined && password !== ''
}
