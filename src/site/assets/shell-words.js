// The words of a curl command, as a shell reads them.
/** The last alternative ends where a shell would begin another command. */
const part =
  /\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|(?:(?!\$'|;(?:\s|$))[^\s'"\\|])+/g
/** A line that begins with a flag continues the command, also where the backslash before it is missing. */
const gap = String.raw`(?:[^\S\n]|\n(?=\s*-))*`
/** Redirections, operators and comments. */
const stop = String.raw`(?!\d?>|<[<\s]|&+(?:\s|$)|#)`
const word = new RegExp(`${gap}${stop}((?:${part.source})+)`, 'gy')
const start = /^\s*(?:[$%>] +)?(?=curl(?:\.exe)?\s)/
const variable = /(?<!\\)\$(?:\w+|\{\w+\}|\([^)]*\)?)/g

const escape = /\\(?:u([\da-f]{4})|x([\da-f]{2})|([^]))/gi
const escapes = { n: '\n', r: '\r', t: '\t' }
const toCharacter = (_, long, short, one) =>
  one ? (escapes[one] ?? one) : String.fromCharCode(parseInt(long ?? short, 16))

function toPlain(text) {
  if (text.startsWith("$'")) return text.slice(2, -1).replaceAll(escape, toCharacter)
  if (text.startsWith("'")) return text.slice(1, -1)
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll(/\\([\\"$`])/g, '$1')
  return text.startsWith('\\') ? text.slice(1) : text
}

/** The command as bash reads it. A field of one line has lost the ends of the lines. */
function toBash(text) {
  // In the command prompt of Windows, a caret is before each special character and each end of a line.
  const isWindows = /\^["\r\n]/.test(text)
  const plain = isWindows ? text.replaceAll(/\^(\r?\n|[^])/g, (_, one) => one.trim() || ' ') : text
  return plain.replaceAll(/[\\`]\r?\n| \\(?= )/g, ' ').trim()
}

/**
 * The words after `curl`, the shell variables in them, and the text after the command. Undefined if the text does not
 * begin with curl.
 */
export function toWords(text) {
  if (!start.test(text)) return undefined
  const source = toBash(text.replace(start, ''))
  const found = [...source.matchAll(word)]
  const parts = found.map(([, one]) => one.match(part))
  const last = found.at(-1)
  const rest = source.slice(last.index + last[0].length).trim()
  return {
    words: parts.slice(1).map((all) => all.map(toPlain).join('')),
    variables: parts
      .flat()
      .flatMap((one) => (/^\$?'/.test(one) ? [] : (one.match(variable) ?? []))),
    rest: rest.startsWith('#') ? '' : rest,
  }
}
