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

/** What is wrong with a page, line by line. */
export async function findInvalid(page: string, url: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(page, url)
  return results.flatMap(({ messages }) =>
    messages.map(({ message, line, ruleId }) => `${url}:${String(line)} ${message} (${ruleId})`),
  )
}
