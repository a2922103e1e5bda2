export interface Link {
  rel: 'first' | 'prev' | 'next' | 'last'
  href: string
}

export function toLinkField(links: readonly Link[]): string {
  return links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ')
}

export function toPageLinks(
  { number, size, total }: { number: number; size: number; total: number },
  toHref: (page: number) => string,
  toNext?: (page: number) => string,
): Link[] {
  const last = Math.max(1, Math.ceil(total / size))
  const link = (rel: Link['rel'], page: number, to = toHref) => ({ rel, href: to(page) })
  return [
    link('first', 1),
    ...(number > 1 ? [link('prev', Math.min(number - 1, last))] : []),
    ...(toNext ? [link('next', number + 1, toNext)] : []),
    link('last', last),
  ]
}
