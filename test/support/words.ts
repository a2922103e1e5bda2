/** The words of a template: words`a b` is ['a', 'b']. */
export function words([text = '']: TemplateStringsArray): string[] {
  return text.trim().split(/\s+/)
}
