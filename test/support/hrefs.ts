/** The URLs of the links with this text. */
export function hrefs(page: string, text: string): string[] {
  return [...page.matchAll(/<a ([^>]*)>([^<]*)<\/a>/g)]
    .filter(([, , label]) => label === text)
    .map(([, attributes = '']) => /href="([^"]*)"/.exec(attributes)?.[1] ?? '')
    .map((href) => href.replaceAll('&amp;', '&'))
}
