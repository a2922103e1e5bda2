import { isNameOf } from '../../config/is-name-of.ts'
import { isNumeric } from '../../lists/fields.ts'
import { operatorWords } from '../../lists/filters.ts'
import { firstPage, toHref, type ListUrl } from '../../lists/parameters.ts'
import { hasScalarType } from '../../http/openapi/json-schema.ts'
import { toQueryText } from '../../http/request/target.ts'
import { html, renderHiddenFields, type Html } from '../../site/html.ts'
import { isOfText, type Operator } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'
import { toLower } from '../field-values.ts'
import { hasMenus, type Columns } from './columns.ts'
import type { ListView } from './list-controls.ts'
import { findListField } from './list-fields.ts'

/** The URL of the list as it is, the choice of columns, and the button that deletes the selected records. */
export function renderViewBar(resource: Resource, list: ListView, columns: Columns): Html {
  const { url } = list
  if (url === undefined) return html``
  const { path, singular, title } = resource
  const target = toHref(url).replaceAll('%3A', ':').replaceAll('%2C', ',')
  const query = toQueryText(toHref(url))
  const withMenu = hasMenus(columns, url) ? columns.shown : []
  const menus = withMenu.map((field, index) =>
    renderColumnMenu(resource, { url, columns, field, index }),
  )
  return html`<div class="view-bar">
<figure class="command view"><code title="${target}">GET ${target}</code><figcaption></figcaption></figure>
<details class="confirm" data-part="bulk"><summary>Delete selected</summary>
<form id="bulk" method="post" action="${path}/delete/selected${query}" data-one="${singular}" data-many="${toLower(title)}">
<p>Delete the selected ${toLower(title)}? This cannot be undone.</p>
<p><button type="submit" class="danger">Yes, delete them</button></p></form></details>
<button type="button" class="second small" popovertarget="columns">Columns ${columns.shown.length} of ${columns.all.length}</button>
${renderColumnsMenu(url, columns)}${menus}</div>
`
}

function renderColumnsMenu(url: ListUrl, { all, shown }: Columns): Html {
  const [first] = all
  const items = all.map((field) => {
    const { name, label } = field
    const state = html`${shown.includes(field) ? html` checked` : ''}${field === first ? html` disabled` : ''}`
    return html`<label><input type="checkbox" name="fields" value="${name}"${state}> <bdi>${label}</bdi></label>\n`
  })
  return html`<form id="columns" class="menu" popover action="${url.path}">
${renderHiddenFields(url.parameters, ['fields', 'page', 'after'])}<input type="hidden" name="fields" value="${first?.name ?? ''}">
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
  const toLink = (text: string, changes: Readonly<Record<string, string>>) =>
    html`<li><a href="${toHref(url, { ...changes, ...firstPage })}">${text}</a></li>\n`
  const kept = columns.shown.filter((each) => each !== field).map((each) => each.name)
  const hide = index > 0 ? toLink('Hide', { fields: kept.join(',') }) : ''
  return html`<section id="column-${index}" class="menu" popover aria-label="Column ${label}">
<ul class="plain">
${toLink('Sort ascending', { sort: name })}${toLink('Sort descending', { sort: `-${name}` })}${hide}</ul>
${renderFilterForm(resource, url, field)}</section>
`
}

/** The parameters that {@link toFiltered} makes one of. */
const formNames = ['_filter', '_operator', '_value'] as const

function renderFilterForm(resource: Resource, url: ListUrl, field: Field): Html {
  const operators = toOperators(resource, field)
  if (operators.length === 0) return html``
  const { name, label, kind } = field
  const options = operators.map(
    (operator) => html`<option value="${operator}">${operatorWords[operator]}</option>`,
  )
  const attributes = html`name="_value" aria-label="Value of ${label}" required`
  const input =
    kind === 'boolean'
      ? html`<select ${attributes}><option>true</option><option>false</option></select>`
      : html`<input ${attributes} ${kind === 'number' ? html`type="number" step="any"` : html`type="text" dir="auto"`} autocomplete="off">`
  return html`<form action="${url.path}">
${renderHiddenFields(url.parameters, ['page', 'after', ...formNames])}<input type="hidden" name="_filter" value="${name}">
<select name="_operator" aria-label="Operator for ${label}">${options}</select>
${input}
<button type="submit" class="small">Filter</button></form>
`
}

function toOperators(resource: Resource, { name }: Field): readonly Operator[] {
  const field = findListField(resource, name)
  if (field === undefined) return []
  const { types, elementTypes, isTime } = field
  if (!hasScalarType(types)) return hasScalarType(elementTypes) ? ['contains'] : []
  const all = Object.keys(operatorWords).filter((name) => isNameOf(operatorWords, name))
  if (isTime || isNumeric(types)) return all.filter((operator) => !isOfText(operator))
  if (!types.includes('string')) return ['eq', 'ne']
  return all.toSorted((one, other) => Number(isOfText(other)) - Number(isOfText(one)))
}

/** A form without script has the operator in an input of its own. Returns the URL of the list that it asks for. */
export function toFiltered(resource: Resource, url: ListUrl): string | undefined {
  const [name, operator, value] = formNames.map((each) => url.parameters.get(each)?.at(-1))
  const isField = findListField(resource, '_filter')?.isDeclared
  if (name === undefined || isField) return undefined
  const without = Object.fromEntries(formNames.map((each) => [each, undefined]))
  const filter = operator === undefined || operator === 'eq' ? name : `${name}:${operator}`
  return toHref(url, { ...without, ...firstPage, [filter]: value ?? '' })
}
