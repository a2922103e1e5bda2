import { passwordNote } from '../../auth/passwords.ts'
import { formatRange } from '../../config/format-count.ts'
import { html, type Html } from '../../site/html.ts'
import type { Field } from '../definition.ts'
import type { FieldSchema } from '../../http/openapi/json-schema.ts'
import type { Choices } from '../relations/related-html.ts'
import {
  acceptsText,
  capitalize,
  findValue,
  isJsonText,
  toFormText,
  valueToInputText,
  valueToText,
} from '../field-values.ts'
import { explainProblem, type FieldProblem } from '../../http/errors/http-error.ts'
import type { Document } from '../../stores/records/records.ts'

export interface FormState {
  _action: 'new' | 'edit'
  values: Document
  problems?: readonly FieldProblem[]
  warning?: string
  choices?: ReadonlyMap<Field['name'], Choices>
}

/** Only the rarer of both is named beside its labels. */
export function toMarked(fields: readonly Field[]): 'required' | 'optional' {
  const required = fields.filter(({ isRequired }) => isRequired)
  return 2 * required.length < fields.length ? 'required' : 'optional'
}

export function renderField(
  field: Field,
  form: FormState,
  marked: ReturnType<typeof toMarked>,
): Html {
  const { name, label, kind, isRequired, inputId: id } = field
  const problem = form.problems?.find((known) => known.field === name)
  const value = findValue(form.values, name)
  // JSON that could not be parsed is still the text that was typed.
  const typed = problem && typeof value === 'string' ? value : valueToInputText(field, value)
  const text = toFormText(typed)
  const isKept = form._action === 'edit' && (kind === 'password' || text !== typed)
  const isShowable = problem !== undefined || keptTexts[kind]?.test(text) !== false
  const isJson = kind === 'texts' && isJsonText(text)
  const shown =
    isJson || !isShowable
      ? { ...field, kind: isJson ? ('json' as const) : ('long text' as const) }
      : field
  const choices = form.choices?.get(name) ?? (isShowable ? toSuggestions(field) : undefined)
  const isOptional = !isRequired || isKept
  const isLost = form.problems !== undefined && text !== typed
  const hint = isLost
    ? toLostHint(isKept)
    : choices
      ? toChoiceHint(field, choices)
      : toHint(shown, isKept)
  const notes = [...(problem ? [`${id}-problem`] : []), ...(hint ? [`${id}-hint`] : [])]
  // A checkbox with `required` would have to be checked, and no text is an empty list.
  const isEmptiable = kind === 'boolean' || (kind === 'texts' && !field.rule.minItems)
  const isMandatory = !isOptional && !isEmptiable && !field.isNullable
  const attributes = html`id="${id}" name="${field.inputName}"${isMandatory ? html` required` : ''}${problem ? html` aria-invalid="true"` : ''}${notes.length > 0 ? html` aria-describedby="${notes.join(' ')}"` : ''}`
  const isMarked = marked === 'required' ? isMandatory : !isRequired
  return html`<div class="field"><label for="${id}">${label}${isMarked ? html` <span class="quiet">(${marked})</span>` : ''}</label>
${hint ? html`<span class="quiet" id="${id}-hint">${hint}</span>\n` : ''}${choices ? renderParents({ field, attributes, text }, choices) : renderInput(shown, attributes, text)}
${problem ? html`<span class="error" id="${id}-problem">${explainProblem(problem, label)}</span>\n` : ''}</div>
`
}

/** A browser changes another text in an input of this kind, also if it is not edited. */
const keptTexts: Partial<Record<Field['kind'], RegExp>> = {
  number: /^[-+.\de]*$/i,
  date: /^(\d{4}-\d\d-\d\d)?$/,
  'date-time': /^(\d{4}-\d\d-\d\dT.*)?$/,
  email: /^(\S(.*\S)?)?$/,
  uri: /^(\S(.*\S)?)?$/,
  text: /^.*$/,
}

function renderInput(field: Field, attributes: Html, text: string): Html {
  const { kind, isRequired, isNullable, inputName } = field
  switch (kind) {
    case 'long text':
    case 'texts':
    case 'json':
      // HTML drops the first line break of a textarea.
      return html`<textarea ${attributes} rows="5"${kind === 'json' ? html` class="code"` : ''} dir="auto">\n${text}</textarea>`
    case 'choice':
      return renderSelect(field, attributes, text)
    case 'boolean':
      if (!isRequired || isNullable) return renderSelect(field, attributes, text)
      return html`<input type="hidden" name="${inputName}[0]" value="false"><input type="checkbox" ${attributes} value="true"${text === 'true' ? html` checked` : ''}>`
    case 'password':
      return html`<input ${attributes} type="password" autocomplete="new-password" value="">`
    case 'number':
      return html`<input ${attributes} type="number" ${numberAttributes(field.rule)} value="${text}">`
    default:
      return html`<input ${attributes} ${inputTypes[kind] ?? ''} value="${text}">`
  }
}

const inputTypes: Partial<Record<Field['kind'], Html>> = {
  date: html`type="date"`,
  'date-time': html`type="datetime-local" step="any"`,
  email: html`type="email" autocomplete="off"`,
  uri: html`type="url" autocomplete="off"`,
  // No maxlength: a browser counts UTF-16 code units, and cuts without a message.
  text: html`type="text" autocomplete="off" dir="auto"`,
}

interface FormControl {
  field: Field
  attributes: Html
  text: string
}

function renderParents(
  { field, attributes, text }: FormControl,
  { options, isComplete }: Choices,
): Html {
  if (isComplete) return renderOptions(attributes, text, [['', 'No value'], ...options])
  const list = `${field.inputId}-choices`
  return html`<input ${attributes} type="text" autocomplete="off" list="${list}" value="${text}">
<datalist id="${list}">${options.map(([id, name]) => html`<option value="${id}">${name}</option>`)}</datalist>`
}

function renderSelect(field: Field, attributes: Html, text: string): Html {
  const options: Option[] = [['', 'No value']]
  if (field.kind === 'boolean') options.push(['true', 'Yes'], ['false', 'No'])
  for (const choice of field.schema.enum ?? []) {
    if (choice !== null) options.push([valueToInputText(field, choice), String(choice)])
  }
  return renderOptions(attributes, text, options)
}

type Option = readonly [value: string, label: string]

function renderOptions(attributes: Html, text: string, options: readonly Option[]): Html {
  const isKnown = options.some(([value]) => value === text)
  const all = isKnown ? options : [...options, [text, text] as const]
  const items = all.map(
    ([value, label]) =>
      html`<option value="${value}"${value === text ? html` selected` : ''}>${label}</option>`,
  )
  return html`<select ${attributes}>${items}</select>`
}

function numberAttributes({ type, minimum, maximum }: FieldSchema): Html {
  const step = [type].flat().includes('integer') ? '1' : 'any'
  return html`step="${step}"${minimum === undefined ? '' : html` min="${minimum}"`}${maximum === undefined ? '' : html` max="${maximum}"`}`
}

function toSuggestions({ isInferred, schema: { enum: shown = [] } }: Field): Choices | undefined {
  const options = shown.flatMap((text) => (typeof text === 'string' ? [[text, text] as const] : []))
  return isInferred && options.length > 0 ? { options, isComplete: false } : undefined
}

function toChoiceHint({ schema: { description = '' } }: Field, { chosen }: Choices): string {
  return [description, chosen && `Now: ${chosen}`].filter(Boolean).join('. ')
}

function toLostHint(isKept: boolean): string {
  const kept = isKept ? ' Leave it empty to keep the current value.' : ''
  return `The text is too long to be shown again: type it again.${kept}`
}

function toHint(field: Field, isKept: boolean): string {
  const hint = toOwnHint(field, isKept)
  const note = inputNotes[field.kind]
  return note === undefined ? hint : `${hint.replace(/[^.]$/, '$&.')} ${note}`.trim()
}

/** An input of a date with a time has no zone. */
const inputNotes: Partial<Record<Field['kind'], string>> = {
  password: passwordNote,
  'date-time': 'In UTC',
}

function toOwnHint({ kind, rule, schema, isInferred }: Field, isKept: boolean): string {
  const [example] = schema.examples ?? []
  if (!isKept && isInferred && schema.format !== undefined) return `Such as ${valueToText(example)}`
  if (!isKept) return rule.description ?? toHintText(kind, rule)
  const name = kind === 'password' ? 'password' : 'value, which is too long for this form'
  return `Leave empty to keep the current ${name}.`
}

function toHintText(kind: Field['kind'], schema: FieldSchema): string {
  switch (kind) {
    case 'number':
      return capitalize(formatRange(schema.minimum, schema.maximum))
    case 'json':
      return acceptsText(schema) ? 'Text or JSON' : 'JSON'
    case 'texts':
      return 'One item per line'
    default: {
      const range = formatRange(schema.minLength, schema.maxLength)
      return range && `${capitalize(range)} characters`
    }
  }
}
