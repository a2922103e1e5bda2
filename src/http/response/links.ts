/** A link of the Link field (RFC 8288); `href` is a URI reference. */
export interface Link {
  rel: 'first' | 'prev' | 'next' | 'last'
  href: string
}

/** The value of Link. In an address nothing stands that would end it here. */
export function toLinkField(links: readonly Link[]): string {
  return links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ')
}

export interface PageOfMany {
  number: number
  size: number
  /** How many items all pages have together. */
  total: number
}

/** Links from one page to the others. One behind the end leads back to the last. */
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
