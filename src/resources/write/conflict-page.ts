import { html, type Html } from '../../site/html.ts'
import { page, time } from '../../site/page.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'
import { ifMatchField, patchFields, recordForm, toInputText } from './form-page.ts'
import { toName } from '../record/record-name.ts'
import { recordFacts } from '../record/record-page.ts'
import { toTag } from '../record/validators.ts'

/** An edit of a state that is no more. */
interface Conflict {
  current: StoredRecord
  /** What the form says shall be; undefined where it says that there shall be none. */
  fields: Document
}

const meaning = html`<a href="/problems/precondition-failed">412 Precondition Failed</a>`

/** Both versions of a record that has changed while it was edited, and the ways to go on. */
export function conflictPage(resource: Resource, conflict: Conflict): Html {
  const { current } = conflict
  const path = `${resource.path}/${current.id}`
  const name = toName(resource, current)
  return page({
    title: `Not saved: ${name} has changed`,
    heading: 'It has changed meanwhile',
    scripts: ['edit-form.js'],
    main: html`<nav class="back" aria-label="Breadcrumb"><a href="${path}">${name}</a></nav>
<div class="notice error" role="alert" tabindex="-1" autofocus>
<p>Nothing was saved: this ${resource.singular} was changed at ${time(current.updatedAt)}, after you had opened it. Which version shall it be?</p>
</div>
${comparison(resource, conflict)}
<div class="actions">
${saveMineForm(resource, conflict)}<p><a class="button second" href="${path}">Take what is there</a></p>
</div>
<h2>Or edit on</h2>
<p>Here is what you typed; saved, it replaces what is there now.</p>
${recordForm(resource, { _action: 'edit', id: current.id, etag: toTag(current), values: { ...current.document, ...conflict.fields } })}
<p class="quiet">The state that your form was for is gone, and so the answer is ${meaning}.</p>`,
  })
}

function comparison(resource: Resource, conflict: Conflict): Html {
  const rows = resource.fields.map((field) =>
    field.kind === 'password' ? passwordRow(field, conflict) : comparisonRow(field, conflict),
  )
  return html`<section class="table versions" tabindex="0" aria-label="Both versions"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Yours</th><th scope="col">Now there</th></tr></thead>
<tbody>
${rows}</tbody>
</table></section>`
}

function comparisonRow({ name, label }: Field, { current, fields }: Conflict): Html {
  const there = toInputText(current.document[name])
  const mine = Object.hasOwn(fields, name) ? toInputText(fields[name]) : there
  return mine === there
    ? html`<tr><th scope="row">${label}</th><td>${shown(mine)}</td><td>${shown(there)}</td></tr>\n`
    : html`<tr><th scope="row">${label} <em>differs</em></th><td><mark>${shown(mine)}</mark></td><td><mark>${shown(there)}</mark></td></tr>\n`
}

/** Passwords are not shown, and whether they differ is nobody's to see. */
function passwordRow({ name, label }: Field, { fields }: Conflict): Html {
  const mine = isTyped(fields[name]) ? 'a new one, to be typed again' : 'the one that is there'
  return html`<tr><th scope="row">${label}</th><td class="quiet">${mine}</td><td class="quiet">not shown</td></tr>\n`
}

function shown(text: string): Html {
  return text === '' ? html`<span class="quiet">nothing</span>` : html`${text}`
}

/** Sends what was typed again, for the state that is there now. A new password has to be typed anew. */
function saveMineForm(resource: Resource, { current, fields }: Conflict): Html {
  const passwords = resource.fields.filter(({ kind }) => kind === 'password')
  if (passwords.some(({ name }) => isTyped(fields[name]))) return html``
  const values = resource.fields
    .filter((field) => !passwords.includes(field) && Object.hasOwn(fields, field.name))
    .map(
      ({ name }) =>
        html`<input type="hidden" name="${name}" value="${toInputText(fields[name])}">\n`,
    )
  return html`<form method="post" action="${resource.path}/${current.id}/">
${patchFields(toTag(current))}
${values}<button type="submit">Keep mine</button>
</form>
`
}

function isTyped(password: unknown): boolean {
  return password !== undefined && password !== ''
}

/** What is there now, for who wanted to delete what was there before. */
export function removalConflictPage(resource: Resource, current: StoredRecord): Html {
  const path = `${resource.path}/${current.id}`
  const name = toName(resource, current)
  return page({
    title: `Not deleted: ${name} has changed`,
    heading: 'It has changed meanwhile',
    main: html`<nav class="back" aria-label="Breadcrumb"><a href="${path}">${name}</a></nav>
<div class="notice error" role="alert" tabindex="-1" autofocus>
<p>Nothing was deleted: this ${resource.singular} was changed at ${time(current.updatedAt)}, after you had opened it. This is what is there now.</p>
</div>
${recordFacts(resource, current)}
<div class="actions">
<form method="post" action="${path}"><input type="hidden" name="_method" value="DELETE">${ifMatchField(toTag(current))}<button type="submit" class="danger">Delete it all the same</button></form>
<p><a class="button second" href="${path}">Keep it</a></p>
</div>
<p class="quiet">The state that your request was for is gone, and so the answer is ${meaning}.</p>`,
  })
}
