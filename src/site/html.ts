/** Markup that is safe to send. Only {@link html} creates it from untrusted values. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

export type HtmlValue = string | number | Html | readonly HtmlValue[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function toMarkup(value: HtmlValue): string {
  if (value instanceof Html) return value.markup
  if (typeof value === 'object') return value.map(toMarkup).join('')
  return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Escapes every value but `Html` for text and for attributes, which must be quoted. Joins lists. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = strings[0] ?? ''
  values.forEach((value, index) => {
    markup += toMarkup(value) + (strings[index + 1] ?? '')
  })
  return new Html(markup)
}

export function renderHiddenFields(
  parameters: ReadonlyMap<string, readonly string[]>,
  replaced: readonly string[],
) {
  return [...parameters]
    .filter(([name]) => !replaced.includes(name))
    .flatMap(([name, values]) =>
      values.map((value) => html`<input type="hidden" name="${name}" value="${value}">\n`),
    )
}
