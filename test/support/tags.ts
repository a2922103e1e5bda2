/** The attributes of every tag of this name, in order; a bare attribute is an empty one. */
export function tagsOf(page: string, tag: string): Record<string, string>[] {
  return [...page.matchAll(new RegExp(`<${tag}\\b([^>]*)>`, 'g'))].map(([, attributes = '']) =>
    Object.fromEntries(
      [...attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
        name,
        value.replaceAll('&quot;', '"'),
      ]),
    ),
  )
}

export function inputsOf(page: string) {
  return [...tagsOf(page, 'input'), ...tagsOf(page, 'textarea')]
}

export function inputNamed(page: string, name: string): Record<string, string> | undefined {
  return inputsOf(page).find((input) => input.name === name)
}

/** The markup of the forms of a page, each from its tag to its end. */
export function formsOf(page: string): string[] {
  return page.match(/<form\b[^]*?<\/form>/g) ?? []
}

/** What a browser would send of the inputs of a form; a textarea is not looked at. */
export function typedIn(form: string): Record<string, string> {
  return Object.fromEntries(tagsOf(form, 'input').map(({ name = '', value = '' }) => [name, value]))
}
