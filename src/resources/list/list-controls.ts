import { html, type Html } from '../../site/html.ts'
import type { Link } from '../../http/response/links.ts'
import { typeBySuffix } from '../../http/negotiation/negotiate.ts'
import type { Resource } from '../definition.ts'
import { toConditions, toHref, type ListUrl } from './list-url.ts'
import type { ListQuery } from './list-query.ts'

const pageSizes = [10, 20, 50, 100]
const usualSize = 20

/** A search that keeps the filters and the order; what it finds comes in pages. */
export function searchForm(
  { path }: Resource,
  { parameters }: ListUrl,
  { page }: { page?: { size: number } | undefined },
): Html {
  const replaced = ['q', 'per_page', 'page', '_start', '_end']
  const kept = [...parameters].flatMap(([name, values]) =>
    replaced.includes(name)
      ? []
      : values.map((value) => html`<input type="hidden" name="${name}" value="${value}">\n`),
  )
  const size = page?.size ?? usualSize
  const sizes = [...new Set([...pageSizes, size])].toSorted((one, other) => one - other)
  return html`<form class="search row" role="search" action="${path}">
${kept}<p class="field"><label for="q">Search</label><input type="search" id="q" name="q" value="${parameters.get('q')?.at(-1) ?? ''}"></p>
<p class="field"><label for="per_page">On a page</label><select id="per_page" name="per_page">${sizes.map(
    (each) => html`<option value="${each}"${each === size ? html` selected` : ''}>${each}</option>`,
  )}</select></p>
<button type="submit" class="second">Search</button>
</form>
`
}

/** The conditions in effect, each with a link that takes it away. */
export function conditionList(resource: Resource, address: ListUrl): Html {
  const conditions = toConditions(resource, address.parameters)
  if (conditions.length === 0) return html``
  const items = conditions.map(({ parameter, words }) => {
    const without = toHref(address, { [parameter]: undefined, page: undefined })
    return html`<li>${words} <a href="${without}" aria-label="Remove: ${words}">Remove</a></li>\n`
  })
  const title = resource.title.toLowerCase()
  return html`<div class="conditions" role="group" aria-label="Filters">
<p>Only ${title} where</p>
<ul>${items}</ul>
<p><a href="${resource.path}">Show all ${title}</a></p>
</div>
`
}

/** The same list in the other representations. */
export function otherTypes({ path }: Resource, { parameters }: ListUrl): Html {
  const links = Object.entries(typeBySuffix).flatMap(([suffix, type]) =>
    suffix === 'html'
      ? []
      : [
          html`<a href="${toHref({ path: `${path}.${suffix}`, parameters })}" type="${type}">${typeNames[suffix] ?? suffix}</a>`,
        ],
  )
  return html`<p class="quiet types">This list for programs: ${joinWords(links)}.</p>
`
}

const typeNames: Readonly<Record<string, string>> = {
  json: 'JSON',
  txt: 'text',
  csv: 'CSV',
  ndjson: 'NDJSON',
}

function joinWords(words: readonly Html[]): Html {
  return html`${words.map((word, index) => {
    if (index === 0) return word
    return index === words.length - 1 ? html` and ${word}` : html`, ${word}`
  })}`
}

const linkLabels = { first: 'First', prev: 'Previous', next: 'Next', last: 'Last' } as const

/** Links to the other pages of a list, and which one this is. */
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
    others.map(({ rel, href }) =>
      rels.includes(rel) ? html`<a href="${href}" rel="${rel}">${linkLabels[rel]}</a>\n` : '',
    )
  return html`<nav class="pages" aria-label="Pages">
${toLinks(['first', 'prev'])}<span>Page ${page.number} of ${count}</span>
${toLinks(['next', 'last'])}</nav>
`
}

/** How many there are, as far as it is known. */
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
