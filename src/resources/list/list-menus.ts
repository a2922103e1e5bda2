import { isNameOf } from '../../config/is-name-of.ts'
import { isNumeric, type ListField } from '../../lists/fields.ts'
import { operatorWords, toOperatorWords } from '../../lists/filters.ts'
import { firstPage, toHref, type ListUrl, type ParameterTexts } from '../../lists/parameters.ts'
import { hasScalarType } from '../../http/openapi/json-schema.ts'
import { html, renderHiddenFields, type Html } from '../../site/html.ts'
import { isOfText, type Operator } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'
import { toLower } from '../field-values.ts'
import { hasMenus, toFieldsTexts, type Columns } from './columns.ts'
import type { ListView } from './list-controls.ts'
import { findListField } from './list-fields.ts'

/** The URL of the list as it is, the choice of columns, and the button that deletes the selected records. */
export function renderViewBar(resource: Resource, list: ListView, columns: Columns): Html {
  const { url } = list
  if (url === undefined) return html``
  const target = toHref(url).replaceAll('%3A', ':').replaceAll('%2C', ',')
  const withMenu = hasMenus(columns, url) ? columns.shown : []
  const menus = withMenu.map((field, index) =>
    renderColumnMenu(resource, { url, columns, field, index }),
  )
  return html`<div class="view-bar">
<figure class="command view"><code title="${target}" data-copy="${target}">GET ${target}</code><figcaption></figcaption></figure>
${list.isReadOnly ? '' : renderDeletion(resource, url, list.removed)}<button type="button" class="second small" popovertarget="columns">Columns ${columns.shown.length} of ${columns.all.length}</button>
${renderColumnsMenu(url, columns)}${menus}</div>
`
}

/** A parameter of the list to which the form with the selected records is sent. */
export const selectionName = '_delete'

function renderDeletion(resource: Resource, { parameters }: ListUrl, removed: Html) {
  const { path, singular, title } = resource
  const many = toLower(title)
  const action = toHref({ path, parameters }, { after: undefined, [selectionName]: 'selected' })
  return html`<button type="button" class="second small delete" popovertarget="bulk">Delete selected</button>
<form id="bulk" class="menu" popover method="post" action="${action}" data-one="${singular}" data-many="${many}">
<p>Delete <span>the selected ${many}</span>? This cannot be undone.</p>
${removed}<p class="actions"><button type="submit" class="danger">Yes, delete them</button>
<button type="button" class="second" popovertarget="bulk" popovertargetaction="hide">Cancel</button></p></form>
`
}

/** Begins the name of each column in the form: one parameter has at most 100 values. */
const columnPrefix = '_fields.'

function renderColumnsMenu(url: ListUrl, { all, shown }: Columns): Html {
  const [first] = all
  const items = all.map((field, index) => {
    const { name, label } = field
    const state = html`${shown.includes(field) ? html` checked` : ''}${field === first ? html` disabled` : ''}`
    return html`<label><input type="checkbox" name="${columnPrefix}${index}" value="${name}"${state}> <bdi>${label}</bdi></label>\n`
  })
  return html`<form id="columns" class="menu" popover action="${url.path}">
${renderHiddenFields(url.parameters, ['fields', 'page', 'after'])}<input type="hidden" name="${columnPrefix}0" value="${first?.name ?? ''}">
<fieldset><legend>Columns</legend>
${items}</fieldset>
<button type="submit" class="small">Apply</button></form>
`
}

interface ColumnMenu {
  url: ListUrl
  columns: Columns
  field: Field
  index: number
}

function renderColumnMenu(resource: Resource, { url, columns, field, index }: ColumnMenu): Html {
  const { name, label } = field
  const toLink = (text: string, changes: Readonly<Record<string, string | string[]>>) =>
    html`<li><a href="${toHref(url, { ...changes, ...firstPage })}">${text}</a></li>\n`
  const kept = columns.shown.filter((each) => each !== field).map((each) => each.name)
  const hide = index > 0 ? toLink('Hide', { fields: toFieldsTexts(kept) }) : ''
  return html`<section id="column-${index}" class="menu" popover aria-label="Column ${label}">
<ul class="plain">
${toLink('Sort ascending', { sort: name })}${toLink('Sort descending', { sort: `-${name}` })}${hide}</ul>
${renderFilterForm(resource, url, field)}</section>
`
}

/** The parameters that {@link fromForm} makes one of. */
const formNames = ['_filter', '_operator', '_value'] as const

function renderFilterForm(resource: Resource, url: ListUrl, field: Field): Html {
  const known = findListField(resource, field.name)
  const operators = known ? toOperators(known, field) : []
  if (known === undefined || operators.length === 0) return html``
  const { name, label } = field
  const toOptions = (first?: Operator) =>
    operators.map(
      (operator) =>
        html`<option value="${operator}"${operator === first ? html` selected` : ''}>${toOperatorWords(known, operator)}</option>`,
    )
  // A range has two conditions.
  const isRange = known.isDate === true || field.kind === 'number'
  const second = html`<select name="_operator" aria-label="Second condition on ${label}">${toOptions(known.isDate ? 'lt' : 'lte')}</select>
${renderValueInput(field, `Second limit of ${label}`)}
`
  return html`<form class="filter" action="${url.path}">
${renderHiddenFields(url.parameters, ['page', 'after', ...formNames])}<input type="hidden" name="_filter" value="${name}">
<select name="_operator" aria-label="Operator for ${label}">${toOptions()}</select>
${renderValueInput(field, `Value of ${label}`)}
${isRange ? second : ''}<button type="submit" class="small">Filter</button></form>
`
}

function renderValueInput({ kind, schema, isNullable }: Field, label: string): Html {
  const attributes = html`name="_value" aria-label="${label}"`
  const texts = schema.enum?.filter((choice) => choice !== null) ?? []
  const isText = texts.length > 0 && texts.every((choice) => typeof choice === 'string')
  const choices = kind === 'boolean' ? ['true', 'false'] : isText ? texts.map(String) : []
  if (choices.length > 0)
    return html`<select ${attributes}>${[...choices, ...(isNullable ? ['null'] : [])].map((choice) => html`<option>${choice}</option>`)}</select>`
  if (kind === 'number')
    return html`<input ${attributes} type="number" step="any" autocomplete="off">`
  const type = kind.startsWith('date') ? 'date' : 'text'
  return html`<input ${attributes} type="${type}" dir="auto" autocomplete="off">`
}

const all = Object.keys(operatorWords).filter((name) => isNameOf(operatorWords, name))

function toOperators(field: ListField, { kind, schema }: Field): readonly Operator[] {
  const { types, elementTypes, isTime } = field
  if (!hasScalarType(types)) return hasScalarType(elementTypes) ? ['contains'] : []
  // A day stands for its start: a time on it is neither at most the day nor the day.
  if (isTime || kind === 'date-time') return ['gte', 'lt']
  if (kind === 'date') return ['gte', 'lte', 'gt', 'lt', 'eq', 'ne']
  if (isNumeric(types)) return ['eq', 'lt', 'gt', 'lte', 'gte', 'ne']
  if (schema.enum || !types.includes('string')) return ['eq', 'ne']
  return all.toSorted((one, other) => Number(isOfText(other)) - Number(isOfText(one)))
}

/** A form without script has names of its own. Returns the URL of the list that it asks for. */
export function fromForm(resource: Resource, url: ListUrl): string | undefined {
  const isTaken = ['_filter', '_fields'].some((name) => findListField(resource, name)?.isDeclared)
  if (isTaken) return undefined
  const parameters = new Map(url.parameters)
  const names = [...parameters.keys()]
  const columns = names.filter((name) => name.startsWith(columnPrefix))
  const field = parameters.get('_filter')?.at(-1)
  if (field === undefined && columns.length === 0) return undefined
  for (const each of ['page', 'after', ...formNames, ...columns]) parameters.delete(each)
  if (field !== undefined) addConditions(parameters, field, url.parameters)
  if (columns.length === 0) return toHref({ path: url.path, parameters })
  const shown = columns.flatMap((name) => url.parameters.get(name) ?? [])
  return toHref({ path: url.path, parameters }, { fields: toFieldsTexts(shown) })
}

function addConditions(
  parameters: Map<string, readonly string[]>,
  field: string,
  form: ParameterTexts,
): void {
  const [operators = [], values = []] = [form.get('_operator'), form.get('_value')]
  for (const [index, value] of values.entries()) {
    const operator = operators[index] ?? 'eq'
    const filter = operator === 'eq' ? field : `${field}:${operator}`
    // Another limit replaces the one before it. Another text is one more that is found.
    const before = /^[lg]te?$/.test(operator) ? [] : (parameters.get(filter) ?? [])
    // One of the two conditions of a range can be empty.
    if (value !== '' || values.length === 1)
      parameters.set(filter, [...new Set([...before, value])])
  }
}
