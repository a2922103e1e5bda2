// Splits code into tokens, on the server and in browsers. Each pattern takes linear time: a string
// need not end, so that no text is read twice.
const text = String.raw`("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)`
/** Not within a word, such as an id. */
const number = String.raw`((?<![\w-])-?\d[\w.+]*)`

const head = String.raw`([\w-]+)(?=:)|^(HTTP\/.*|\S+ \S+ HTTP\/\S+)$`

const kinds = {
  json: ['string', 'key', 'number', 'literal'],
  head: ['key', 'meta'],
  html: ['comment', 'keyword', 'string'],
  code: ['string', 'comment', 'number', 'keyword', 'continued'],
}

const patterns = {
  json: new RegExp(String.raw`("(?:[^"\\]|\\.)*"?)(\s*:)?|${number}|\b(true|false|null)\b`, 'g'),
  head: new RegExp(`^${head}`, 'gm'),
  html: /(<!--[^]*?(?:-->|$))|(<\/?[\w!-]+|\/?>)|("[^"<>]*")/g,
  code: new RegExp(
    String.raw`https?:\/\/[^\s'"]+|${text}|(#.*|\/\/ .*)|${number}|\b(await|async|const|curl|def|defer|err|fetch|for|from|func|http|https|import|let|new|nil|package|print|return|with)\b|(\\$)`,
    'gm',
  ),
}

/** Headers that nearly every exchange has. */
const common =
  /^(access-control-(allow-(credentials|origin)|expose-headers)|cache-control: (private, )?no-cache$|connection|content-security|date|keep-alive|pragma|priority|referr?er|sec-(ch|fetch)-|server-timing|upgrade-insecure|user-agent|vary: origin$|x-content-type-options|x-request-id|accept-(language|encoding))/i

/** @param {string} line */
export const isCommonHeader = (line) => common.test(line)

/**
 * @param {string} source
 * @param {'json' | 'head' | 'html' | 'code'} language
 * @returns {[kind: string, text: string][]} the parts in order; `kind` is empty for plain text
 */
export function tokenize(source, language) {
  const tokens = []
  let end = 0
  for (const match of source.matchAll(patterns[language])) {
    const group = match.findIndex((value, index) => index > 0 && value !== undefined)
    const isKey = language === 'json' && match[2] !== undefined
    const token = match[group] ?? match[0]
    if (match.index > end) tokens.push(['', source.slice(end, match.index)])
    tokens.push([isKey ? 'key' : (kinds[language][group - 1] ?? ''), token])
    end = match.index + token.length
  }
  if (end < source.length) tokens.push(['', source.slice(end)])
  return tokens
}
