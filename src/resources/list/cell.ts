import { formatCount } from '../../config/format-count.ts'
import { html, type Html } from '../../site/html.ts'
import type { Field } from '../definition.ts'
import { isLinked, renderUrl, valueToHtml, valueToText } from '../field-values.ts'

interface Cell {
  content: Html
  /** The whole value, if the cell may have only its start. */
  title?: string | undefined
}

/** The page of the record has the whole value. */
const [maxText, maxTitle] = [120, 500]

/** Shorter text is seldom cut. */
const minTitle = 16

/** A value in one line. */
export function renderCell(
  field: Field,
  value: unknown,
  shorten: (url: string) => string = String,
): Cell {
  if (value === undefined) return { content: html`` }
  if (typeof value === 'boolean') return { content: renderBoolean(value) }
  if (typeof value === 'number') return { content: html`${formatValue(field, value)}` }
  if (typeof value === 'object' && value !== null) {
    const title = toExcerpt(valueToText(value), maxTitle)
    return { content: html`${toExcerpt(toBrief(value), maxText)}`, title }
  }
  // A time has a title of its own. Null is dimmed, so that it differs from the text "null".
  if (value === null || field.kind === 'date-time') return { content: valueToHtml(field, value) }
  const title = toTitle(value)
  if (isLinked(field, value))
    return {
      content: renderUrl(value, html`<bdi>${toExcerpt(shorten(value), maxText)}</bdi>`),
      title,
    }
  if (field.kind !== 'long text' && field.kind !== 'text')
    return { content: valueToHtml(field, value), title }
  return { content: html`${toExcerpt(valueToText(value), maxText)}`, title }
}

function renderBoolean(value: boolean): Html {
  const [mark, name] = value ? ['✓', 'true'] : ['✗', 'false']
  return html`<span role="img" aria-label="${name}" title="${name}">${mark}</span>`
}

/** Every digit is kept. Years and ids are no quantities. */
function formatValue({ name }: Field, value: number): string {
  if (/year|(^|_)id$|Id$/.test(name)) return String(value)
  const grouped = String(value).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','))
  return grouped.replace('-', '−')
}

function toTitle(value: unknown): string | undefined {
  const text = valueToText(value)
  return text.length < minTitle ? undefined : toExcerpt(text, maxTitle)
}

/** Leaves out the start and the end that all URLs of a column share, so that it shows what differs. */
export function createShortener(urls: readonly string[]): (url: string) => string {
  const all = [...new Set(urls)].map(toParts)
  const [first = [], ...others] = all
  // A single URL differs from none, and a page of records without URLs has none.
  const most = others.reduce((count, { length }) => Math.min(count, length), first.length) - 1
  const isShared = (index: number) =>
    others.length > 0 && others.every((parts) => parts.at(index) === first.at(index))
  let [start, end] = [0, 0]
  while (start < most && first[start]?.endsWith('/') && isShared(start)) start += 1
  while (start + end < most && isShared(-1 - end)) end += 1
  return (url) => {
    const parts = toParts(url)
    const middle = parts.slice(start, parts.length - end).join('')
    const text = middle.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '')
    return `${start > 0 ? '…/' : ''}${text}${end > 0 ? '/…' : ''}`
  }
}

/** `https://example.com/a/b?c=d` has the parts `https://example.com/`, `a/`, `b` and `?c=d`. */
const toParts = (url: string) => url.split(/(?<=[^:/]\/)|(?=[?#])/)

function toBrief(value: object, isInside = false): string {
  const values: unknown[] = Object.values(value)
  const isList = Array.isArray(value)
  const isNested = values.some((item) => typeof item === 'object' && item !== null)
  if (isList) return isNested || isInside ? formatCount(values.length, 'item') : toTexts(values)
  if (isInside) return '{…}'
  const members = Object.entries(value).slice(0, 10)
  return members.map(([name, member]) => `${name}: ${toTexts([member])}`).join(', ')
}

function toTexts(values: readonly unknown[]): string {
  const texts = values.slice(0, maxText).map((value) => {
    return typeof value === 'object' && value !== null ? toBrief(value, true) : valueToText(value)
  })
  return texts.join(', ')
}

function toExcerpt(text: string, length: number): string {
  // The text is cut between code points, so that no surrogate pair is cut in two.
  const start = Array.from(text.slice(0, 2 * length + 1))
  return start.length <= length ? text : `${start.slice(0, length).join('').trimEnd()}…`
}
