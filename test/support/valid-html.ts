import { HtmlValidate } from 'html-validate'

const validator = new HtmlValidate({
  extends: ['html-validate:recommended', 'html-validate:a11y'],
  rules: {
    // Prettier's spelling of void elements and of the document type.
    'void-style': 'off',
    'doctype-style': 'off',
    // The title of a record's page is its name, however long.
    'long-title': 'off',
    // A parameter that may repeat has several controls.
    'form-dup-name': 'off',
  },
})

/** The links to all operations, of which one is marked, are most of a page of the documentation. */
const navigation = /(?<=<nav [^>]*>)[^]*?(?=<\/nav>)/g
const marks = / aria-current="page"| open(?=>)/g
const validated = new Set<string>()

/** What is wrong with a page, line by line. A navigation is validated on the first page that has it. */
export async function findInvalid(page: string, url: string): Promise<readonly string[]> {
  const unseen = page.replaceAll(navigation, (part) => {
    const text = part.replaceAll(marks, '')
    if (validated.has(text)) return ''
    validated.add(text)
    return part
  })
  const { results } = await validator.validateString(unseen, url)
  return results.flatMap(({ messages }) =>
    messages.map(({ message, line, ruleId }) => `${url}:${String(line)} ${message} (${ruleId})`),
  )
}
