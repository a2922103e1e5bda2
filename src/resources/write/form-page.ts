import { html, type Html } from '../../site/html.ts'
import { page } from '../../site/page.ts'
import type { FieldProblem } from '../../http/errors/http-error.ts'
import type { Field, Resource } from '../definition.ts'
import { toHint } from './hints.ts'

/** A form for a record that is to be, or for one that is. */
export type RecordForm = {
  /** What was typed, or what is stored. */
  values: Readonly<Record<string, unknown>>
  problems?: readonly FieldProblem[]
  /** A sentence on why the form is here again, where no field is to blame. */
  warning?: string
} & (
  | {
      _action: 'new'
      /** An Idempotency-Key that no request has had: sent twice, the form creates one record. */
      key: string
    }
  /** `etag` is that of the state which the form shows. */
  | { _action: 'edit'; id: string; etag: string }
)

/** Without script, a form says in a field what If-Match says. */
export function ifMatchField(etag: string): Html {
  return html`<input type="hidden" name="_if_match" value="${etag}">`
}

/** What a form without script says of itself to be taken for a PATCH of this state. */
export function patchFields(etag: string): Html {
  return html`<input type="hidden" name="_method" value="PATCH">${ifMatchField(etag)}`
}

export function formPage(resource: Resource, form: RecordForm): Html {
  const heading = `${form._action === 'new' ? 'New' : 'Edit'} ${resource.singular}`
  const isRefused = form.problems !== undefined || form.warning !== undefined
  return page({
    title: isRefused ? `Not saved: ${heading}` : heading,
    heading,
    scripts: ['edit-form.js'],
    main: html`<nav class="back" aria-label="Breadcrumb"><a href="${resource.path}">All ${resource.title.toLowerCase()}</a></nav>
${summary(resource, form)}${recordForm(resource, form)}`,
  })
}

/** The form alone, for a page that has more to say. */
export function recordForm(resource: Resource, form: RecordForm): Html {
  const { path, fields } = resource
  const [action, controls, way] =
    form._action === 'new'
      ? [`${path}/`, html`<input type="hidden" name="_idempotency_key" value="${form.key}">`, path]
      : [`${path}/${form.id}/`, patchFields(form.etag), `${path}/${form.id}`]
  return html`<form method="post" action="${action}"${form._action === 'edit' ? html` data-patch` : ''}>
${controls}
${fields.map((field) => fieldInput(field, form))}<p class="actions"><button type="submit">${form._action === 'new' ? `Create ${resource.singular}` : 'Save'}</button>
<a class="button second" href="${way}">Cancel</a> <span role="status" class="error"></span></p>
</form>`
}

/** What is wrong, above the form, with links to where; read out and focused as the page opens. */
function summary({ fields }: Resource, { problems = [], warning }: RecordForm): Html {
  if (problems.length === 0 && warning === undefined) return html``
  const items = problems.map(({ field: name, message }) => {
    const field = fields.find((candidate) => candidate.name === name)
    return field
      ? html`<li><a href="#${name}">${field.label} ${message}</a></li>\n`
      : html`<li>${name} ${message}</li>\n`
  })
  return html`<div class="notice error" role="alert" tabindex="-1" autofocus>
<p>${warning ?? 'Nothing was saved. Please correct this:'}</p>
${items.length === 0 ? '' : html`<ul>\n${items}</ul>\n`}</div>
`
}

function fieldInput(field: Field, form: RecordForm): Html {
  const { name, label, kind, isRequired } = field
  const isKept = kind === 'password' && form._action === 'edit'
  const problem = form.problems?.find((candidate) => candidate.field === name)
  const hint = toHint(field, { isKept })
  const value = kind === 'password' ? '' : toInputText(form.values[name])
  const notes = [...(problem ? [`${name}-problem`] : []), ...(hint ? [`${name}-hint`] : [])]
  const common = html`id="${name}" name="${name}"${isRequired && !isKept ? html` required` : ''}${problem ? html` aria-invalid="true"` : ''}${notes.length > 0 ? html` aria-describedby="${notes.join(' ')}"` : ''}`
  const control =
    kind === 'long text'
      ? html`<textarea ${common} rows="5">\n${value}</textarea>`
      : html`<input ${common} ${inputAttributes(field)} value="${value}">`
  return html`<div class="field"><label for="${name}">${label}${isRequired ? '' : html` <span class="quiet">(optional)</span>`}</label>
${hint ? html`<span class="quiet" id="${name}-hint">${hint}</span>\n` : ''}${control}
${problem ? html`<span class="error" id="${name}-problem">${label} ${problem.message}</span>\n` : ''}</div>
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

/** The text of a value in an input. */
export function toInputText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
