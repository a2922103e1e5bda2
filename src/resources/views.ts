import { html, type Html } from '../http/html.ts'
import type { Link } from '../http/links.ts'
import { page, pageAround, time } from '../http/page.ts'
import type { FieldProblem } from '../http/refusal.ts'
import type { Pages, StoredRecord } from '../storage/records/records.ts'
import type { Field, Resource } from './definition.ts'
import { toRepresentation } from './representations.ts'
import { toTag } from './validators.ts'

/** The page of a list, in pieces: its opening, a piece for every page of records, its closing. */
export async function* listPage(
  resource: Resource,
  pages: Pages,
  paging: Html,
): AsyncGenerator<string> {
  const { opening, closing } = pageAround(resource.title)
  const columns = resource.fields.filter(({ kind }) => kind !== 'password')
  yield html`${opening}<p class="actions"><a class="button" href="${resource.path}/new">New ${resource.singular}</a></p>
<section class="table" tabindex="0" aria-label="${resource.title}"><table>
<thead><tr>${columns.map(({ label }) => html`<th scope="col">${label}</th>`)}<th scope="col">Created</th></tr></thead>
<tbody>
`.markup
  let isEmpty = true
  for await (const records of pages) {
    if (records.length > 0) isEmpty = false
    yield records.map((record) => listRow(resource, columns, record).markup).join('')
  }
  yield html`</tbody>
</table></section>
${isEmpty ? html`<p>There is no ${resource.singular} here.</p>` : ''}${paging}${closing}`.markup
}

function listRow(resource: Resource, columns: readonly Field[], record: StoredRecord): Html {
  const shown = toRepresentation(resource, record)
  const [naming, ...others] = columns
  return html`<tr><td><a href="${resource.path}/${record.id}">${shown[naming?.name ?? '_id'] ?? ''}</a></td>${others.map(({ name }) => html`<td>${shown[name] ?? ''}</td>`)}<td>${time(record.createdAt)}</td></tr>
`
}

const linkLabels = { first: 'First', prev: 'Previous', next: 'Next', last: 'Last' } as const

/** Links to the other pages of a list. */
export function pagingLinks(links: readonly Link[]): Html {
  if (links.length === 0) return html``
  return html`<nav class="actions" aria-label="Pages">${links.map(({ rel, href }) => html`<a href="${href}" rel="${rel}">${linkLabels[rel]} page</a> `)}</nav>`
}

export function recordPage(resource: Resource, record: StoredRecord): Html {
  const shown = toRepresentation(resource, record)
  const path = `${resource.path}/${record.id}`
  return page({
    title: String(shown[resource.fields[0]?.name ?? '_id']),
    main: html`<dl>
<dt>Id</dt><dd><code>${record.id}</code></dd>
${resource.fields.map(({ name, label }) => (shown[name] === undefined ? '' : html`<dt>${label}</dt><dd>${shown[name]}</dd>\n`))}<dt>Created</dt><dd>${time(record.createdAt)}</dd>
<dt>Updated</dt><dd>${time(record.updatedAt)}</dd>
</dl>
<div class="actions">
<p><a class="button" href="${path}/edit">Edit</a></p>
<form method="post" action="${path}"><input type="hidden" name="_method" value="DELETE">${expected(toTag(record))}<button type="submit">Delete</button></form>
<p><a href="${resource.path}">All ${resource.title.toLowerCase()}</a></p>
</div>`,
  })
}

/** A form for a record that is to be, or for one that is. */
export type RecordForm = {
  /** What was typed, or what is stored. */
  values: Readonly<Record<string, unknown>>
  problems?: readonly FieldProblem[]
} & (
  | { _action: 'new' }
  /** `etag` is that of the state which the form shows. */
  | { _action: 'edit'; id: string; etag: string }
)

/** Without script, a form says in a field what If-Match says. */
function expected(etag: string): Html {
  return html`<input type="hidden" name="_if_match" value="${etag}">`
}

export function formPage(resource: Resource, form: RecordForm): Html {
  const { _action } = form
  const fields = html`${otherProblems(resource, form)}${resource.fields.map((field) => fieldInput(field, form))}`
  const save = html`<p class="actions"><button type="submit">Save</button> <span role="status" class="error"></span></p>`
  if (_action === 'new') {
    return page({
      title: `New ${resource.singular}`,
      main: html`<form method="post" action="${resource.path}/">
${fields}${save}
</form>`,
    })
  }
  return page({
    title: `Edit ${resource.singular}`,
    scripts: ['edit-form.js'],
    main: html`<form method="post" action="${resource.path}/${form.id}/" data-patch>
<input type="hidden" name="_method" value="PATCH">${expected(form.etag)}
${fields}${save}
</form>
<p><a href="${resource.path}/${form.id}">Back without saving</a></p>`,
  })
}

/** What is wrong with what is no field of the form. */
function otherProblems({ fields }: Resource, { problems = [] }: RecordForm): Html {
  const others = problems.filter(({ field }) => !fields.some(({ name }) => name === field))
  if (others.length === 0) return html``
  return html`<ul class="error">${others.map(({ field, message }) => html`<li>${field} ${message}</li>`)}</ul>
`
}

function fieldInput(field: Field, { _action, values, problems = [] }: RecordForm): Html {
  const { name, label, kind, isRequired } = field
  const problem = problems.find((candidate) => candidate.field === name)
  const isUnchangedPassword = kind === 'password' && _action === 'edit'
  const value = kind === 'password' ? '' : toInputText(values[name])
  const common = html`id="${name}" name="${name}"${isRequired && !isUnchangedPassword ? html` required` : ''}${problem ? html` aria-invalid="true" aria-describedby="${name}-problem"` : ''}`
  const control =
    kind === 'long text'
      ? html`<textarea ${common} rows="4">\n${value}</textarea>`
      : html`<input ${common} ${inputAttributes(field)} value="${value}">`
  return html`<p class="field"><label for="${name}">${label}${isUnchangedPassword ? ' (leave empty to keep it)' : ''}</label>
${control}${problem ? html`<span class="error" id="${name}-problem">${label} ${problem.message}</span>` : ''}</p>
`
}

function inputAttributes({ kind, minimum, maximum }: Field): Html {
  if (kind === 'number') {
    return html`type="number" step="any"${minimum === undefined ? '' : html` min="${minimum}"`}${maximum === undefined ? '' : html` max="${maximum}"`}`
  }
  // The seed has a text input; what is typed is not shown.
  if (kind === 'password') return html`type="password" autocomplete="new-password"`
  // No maxlength: a browser counts what the server does not, and stops without a word.
  return html`type="text" autocomplete="off"`
}

function toInputText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
