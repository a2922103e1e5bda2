import { explainProblem } from '../../http/errors/http-error.ts'
import { previousPrefix } from '../../http/request/parameters.ts'
import { html, type Html } from '../../site/html.ts'
import { type Page } from '../../site/page.ts'
import type { Document } from '../../stores/records/records.ts'
import { toListLink, toRecordPath } from '../context.ts'
import type { Field, Resource } from '../definition.ts'
import { toHref } from '../../lists/parameters.ts'
import {
  findValue,
  toFormText,
  toLower,
  toRecordName,
  valueToInputText,
  valueToText,
} from '../field-values.ts'
import { renderMethodInputs } from '../record/record-page.ts'
import { renderField, toMarked, type FormState } from './form-input.ts'

/** `key` is an unused Idempotency-Key: sent twice, the form creates one record. */
export type RecordForm = FormState &
  (
    | { _action: 'new'; key: string; references: Document; flash?: Html }
    | { _action: 'edit'; id: string; etag: string; stored: Document }
  )

export function renderFormPage(resource: Resource, form: RecordForm): Page {
  const { singular, isSingular } = resource
  const heading =
    form._action === 'new'
      ? `New ${singular}`
      : `Edit ${isSingular ? singular : toRecordName(resource, { id: form.id, document: form.stored })}`
  const flash = 'flash' in form ? form.flash : undefined
  const hasFailed = form.problems !== undefined || form.warning !== undefined
  return {
    title: hasFailed ? `Not saved: ${heading}` : heading,
    heading,
    styles: ['lists.css'],
    scripts: ['edit-form.js', ...(flash ? ['records.js'] : [])],
    back: toListLink(resource) ?? [resource.path, toLower(resource.title)],
    main: html`${flash ?? ''}${renderProblemSummary(resource, form)}${renderRecordForm(resource, form)}`,
  }
}

export function toNewPath({ path }: Resource, references: Document): string {
  return toHref({ path: `${path}/new`, parameters: toParameters(references) })
}

const toParameters = (references: Document) =>
  new Map(Object.entries(references).map(([name, value]) => [name, [valueToText(value)]]))

export function renderRecordForm(resource: Resource, form: RecordForm): Html {
  const { path, editable, singular, hasDialect, isValue, editMethod } = resource
  const isNew = form._action === 'new'
  const marked = toMarked(editable)
  // The script sends a form and reads JSON: a dialect would store every value as text.
  const isScripted = !isNew && !hasDialect && !isValue
  const url = isNew ? path : toRecordPath(resource, form.id)
  // After an error, the form still has the references of its URL.
  const parameters = toParameters(isNew ? form.references : {})
  const action = toHref({ path: `${url}/`, parameters })
  const controls = isNew
    ? html`<input type="hidden" name="_idempotency_key" value="${form.key}">`
    : renderMethodInputs(editMethod, form.etag)
  return html`<form method="post" action="${action}"${isScripted ? html` data-patch` : ''}>
${controls}
${editable.map((field) => [isNew ? '' : renderPrevious(field, form), renderField(field, form, marked)])}<p class="actions"><button type="submit">${isNew ? `Create ${singular}` : 'Save'}</button>${isNew ? renderAnother(resource, form.references) : ''}
<a class="button second" href="${url}">Cancel</a> <span role="status"></span></p>
</form>`
}

/** The references of the URL are those of the next record too. */
function renderAnother({ path }: Resource, references: Document): Html {
  const parameters = toParameters(references)
  const url = toHref({ path: `${path}/`, parameters }, { another: '' })
  return html`
<button type="submit" class="second" formaction="${url}">Save and add another</button>`
}

/** Only what differs from it is changed: `values` can have what was typed before an error. */
function renderPrevious(
  field: Field,
  { stored, values }: { stored: Document; values: Document },
): Html {
  if (field.kind === 'password') return html``
  const toText = (document: Document) => valueToInputText(field, findValue(document, field.name))
  const typed = toText(values)
  // An input that is empty because its text is too long keeps the stored value.
  const text = toFormText(typed) === typed ? toFormText(toText(stored)) : ''
  return html`<input type="hidden" name="${previousPrefix}${field.inputName}" value="${text}">\n`
}

function renderProblemSummary({ fields }: Resource, { problems = [], warning }: RecordForm): Html {
  if (problems.length === 0 && warning === undefined) return html``
  const items = problems.map((problem) => {
    const field = fields.find(({ name }) => name === problem.field)
    const text = explainProblem(problem, field?.label)
    if (field === undefined) return html`<li>${text}</li>\n`
    return html`<li><a href="#${field.inputId}">${text}</a></li>\n`
  })
  return html`<div class="notice error" role="alert" tabindex="-1" autofocus>
<p>${warning ?? 'Nothing was saved. Correct the following:'}</p>
${items.length === 0 ? '' : html`<ul>\n${items}</ul>\n`}</div>
`
}
