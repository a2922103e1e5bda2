import { html, type Html } from '../../site/html.ts'
import type { Link } from '../../http/response/links.ts'
import { typeBySuffix } from '../../http/negotiation/negotiate.ts'
import type { Resource } from '../definition.ts'
import { toHref, type ListUrl } from './list-url.ts'
import type { ListQuery } from './list-query.ts'

const pageSizes = [10, 20, 50, 100]
const defaultSize = 20

/** A search that keeps the filters and the order, and starts at the first page. */
export function searchForm(
  { path }: Resource,
  { parameters }: ListUrl,
  { page }: { page?: { size: number } | undefined },
): Html {
  const replaced = ['q', 'per_page', 'page', '_start', '_end']
  const others = [...parameters].filter(([name]) => !replaced.includes(name))
  const hidden = others.flatMap(([name, values]) =>
    values.map((value) => html`<input type="hidden" name="${name}" value="${value}">\n`),
  )
  const size = page?.size ?? defaultSize
  const sizes = [...new Set([...pageSizes, size])].toSorted((one, other) => one - other)
  return html`<form class="search row" role="search" action="${path}">
${hidden}<p class="field"><label for="q">Search</label><input type="search" id="q" name="q" value="${parameters.get('q')?.at(-1) ?? ''}"></p>
<p class="field"><label for="per_page">Per page</label><select id="per_page" name="per_page">${sizes.map(
    (each) => html`<option value="${each}"${each === size ? html` selected` : ''}>${each}</option>`,
  )}</select></p>
<button type="submit" class="second">Search</button>
</form>
`
}

const typeNames = [
  ['json', 'JSON'],
  ['txt', 'text'],
  ['csv', 'CSV'],
  ['ndjson', 'NDJSON'],
] as const

/** Links to the same list in the other media types. */
export function otherTypes({ path }: Resource, { parameters }: ListUrl): Html {
  const links = typeNames.map(([suffix, name], index) => {
    const separator = index === 0 ? '' : index === typeNames.length - 1 ? ' and ' : ', '
    const href = toHref({ path: `${path}.${suffix}`, parameters })
    return html`${separator}<a href="${href}" type="${typeBySuffix[suffix]}">${name}</a>`
  })
  return html`<p class="quiet types">Also available as ${links}.</p>
`
}

const linkLabels = { first: 'First', prev: 'Previous', next: 'Next', last: 'Last' } as const

/** Links to the other pages of a list, and the number of this one. */
export function pagingLinks(
  links: readonly Link[],
  { page, total }: { page: { number: number; size: number }; total: number },
): Html {
  const count = Math.ceil(total / page.size)
  if (total === 0 || links.length === 0 || (count === 1 && page.number === 1)) return html``
  const others = links.filter(
    ({ rel }) =>
      !(rel === 'first' && page.number === 1) && !(rel === 'last' && page.number === count),
  )
  const toLinks = (rels: readonly string[]) =>
    others
      .filter(({ rel }) => rels.includes(rel))
      .map(({ rel, href }) => html`<a href="${href}" rel="${rel}">${linkLabels[rel]}</a>\n`)
  return html`<nav class="pages" aria-label="Pages">
${toLinks(['first', 'prev'])}<span>Page ${page.number} of ${count}</span>
${toLinks(['next', 'last'])}</nav>
`
}

/** The number of records, and which of them are shown. */
export function countLine(
  { singular, title }: Resource,
  { part }: ListQuery,
  { shown, total }: { shown: number; total: number },
): Html {
  const all = `${String(total)} ${total === 1 ? singular : title.toLowerCase()}`
  if (part === undefined || shown === total) return html`<p class="quiet count">${all}.</p>\n`
  const from = part.offset + 1
  const range = shown === 1 ? String(from) : `${String(from)} to ${String(part.offset + shown)}`
  return html`<p class="quiet count">${range} of ${all}.</p>\n`
}
