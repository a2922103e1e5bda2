/** RFC 8288; `href` is a URI reference. */
export interface Link {
  rel: 'first' | 'prev' | 'next' | 'last'
  href: string
}

export function toLinkField(links: readonly Link[]): string {
  return links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ')
}

export interface PageOfMany {
  number: number
  size: number
  total: number
}

/** Links to other pages. A page beyond the end links back to the last one. */
export function toPageLinks(
  { number, size, total }: PageOfMany,
  toHref: (page: number) => string,
): Link[] {
  const last = Math.max(1, Math.ceil(total / size))
  const pages = {
    first: 1,
    ...(number > 1 && { prev: Math.min(number - 1, last) }),
    ...(number < last && { next: number + 1 }),
    last,
  }
  return (['first', 'prev', 'next', 'last'] as const).flatMap((rel) => {
    const page = pages[rel]
    return page === undefined ? [] : [{ rel, href: toHref(page) }]
  })
}
