import { toHref, type ListUrl } from '../../lists/parameters.ts'
import { html, type Html } from '../../site/html.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { toRecordPath, type Relation } from '../context.ts'
import type { Field, Resource } from '../definition.ts'
import { capitalize, findValue, isLinked, toRecordName } from '../field-values.ts'
import { toTypes } from '../../http/openapi/json-schema.ts'
import type { ToParentLink } from '../relations/relations.ts'
import { toTag } from '../record/representations.ts'
import { createShortener, renderCell } from './cell.ts'

/** All columns, and those that are shown. The first has the names of the records, and is always shown. */
export interface Columns {
  all: readonly Field[]
  shown: readonly Field[]
}

/** A window of 1,280 pixels has space for so many columns. */
const maxAtFirst = 8

export function toColumns(resource: Resource, fields?: readonly string[]): Columns {
  const { namedBy, readable, visible, times, singular } = resource
  const [id] = visible
  const naming = namedBy === '' ? id && { ...id, label: capitalize(singular) } : resource.naming
  const first = naming ?? id
  const others = readable.filter((field) => field !== first)
  const own = [...times, id].filter((field) => field?.name !== first?.name)
  const all = [first, ...others, ...own].filter((field) => field !== undefined)
  const last = own[0]
  const briefFirst = others.toSorted((one, other) => Number(isLong(one)) - Number(isLong(other)))
  const atFirst = new Set([first, last, ...briefFirst.slice(0, maxAtFirst - 2)])
  const isShown = (field: Field) => (fields ? fields.includes(field.name) : atFirst.has(field))
  return { all, shown: all.filter((field) => field === first || isShown(field)) }
}

/** One text, unless a name has a comma. */
export function toFieldsTexts(names: readonly string[]): string[] {
  return names.some((name) => name.includes(',')) ? [...names] : [names.join(',')]
}

/** A menu has the URL of the list several times, and the URL can have a name for each column. */
const maxMenusLength = 64 * 1024

/** Without menus, a list with very many columns is sorted and filtered by its URL. */
export function hasMenus({ shown }: Columns, url: ListUrl): boolean {
  return shown.length * toHref(url).length < maxMenusLength
}

/** A cell has the start of such a value at most. */
function isLong({ kind, schema }: Field): boolean {
  return kind === 'long text' || toTypes(schema).join() === 'object'
}

/** The class sets the width of the column. A number that is shown as the name of a parent is text. */
export function toCellClass(
  { name, kind, path, schema }: Field,
  relations: readonly Relation[],
): Html {
  const isName = relations.some(({ isToParent, field }) => isToParent && field === name)
  const shownKind = schema.format === 'uri' ? 'uri' : kind
  const isId = name === 'id' || (typeof path === 'string' && !kind.startsWith('date'))
  if (isId) return html` class="id"`
  const isKnown = ['number', 'boolean', 'date', 'date-time', 'uri'].includes(shownKind) && !isName
  return isKnown ? html` class="${shownKind}"` : html``
}

type Rows = (records: readonly StoredRecord[], toParentLink: ToParentLink) => string

/** The cells of all rows begin alike. On small screens each shows its label. */
export function createRows(
  resource: Resource,
  shown: readonly Field[],
  { relations, isReadOnly }: { relations: readonly Relation[]; isReadOnly: boolean },
): Rows {
  const cells = shown.slice(1).map((field) => {
    const opening = html`<td${toCellClass(field, relations)} dir="auto" data-label="${field.label}"`
    return { field, opening: opening.markup }
  })
  return (records, toParentLink) => {
    const shorteners = new Map(shown.map((field) => [field, toShortener(field, records)]))
    const toRow = (record: StoredRecord) => {
      const name = toRecordName(resource, record)
      const href = toRecordPath(resource, record.id)
      const link = html`<a href="${href}" dir="auto" title="${name}">${name}</a>`
      const box = html`<td class="pick"><input type="checkbox" form="bulk" name="delete" value="${toTag(record)} ${record.id}" aria-label="Select ${name}"></td>`
      let row = html`<tr>${isReadOnly ? '' : box}<th scope="row">${link}</th>`.markup
      for (const { field, opening } of cells) {
        const { content, title } = renderCell(
          field,
          findCellValue(record, field),
          shorteners.get(field),
        )
        const link = toParentLink(record, field.name)
        const hint = (link ?? title === undefined) ? '' : html` title="${title}"`.markup
        row += `${opening}${hint}>${(link ?? content).markup}</td>`
      }
      return `${row}</tr>\n`
    }
    return records.map(toRow).join('')
  }
}

function toShortener(field: Field, records: readonly StoredRecord[]) {
  if (field.schema.format !== 'uri') return undefined
  const urls = records.map((record) => findCellValue(record, field))
  return createShortener(urls.filter((url) => isLinked(field, url)))
}

export function findCellValue(
  { id, document, createdAt, updatedAt }: StoredRecord,
  { name, path }: Field,
) {
  // The path of a field of the document is a list.
  if (typeof path !== 'string') return findValue(document, name)
  return { createdAt, updatedAt }[name] ?? findValue(document, name) ?? id
}
