import parseJson from 'secure-json-parse'
import { formatMebibytes } from '../config/format-count.ts'
import { assertDepth } from '../http/body/parse-json.ts'
import { toMessage, UnreadableData, withoutSecrets, type DataText } from './read-data-file.ts'

/** Parsing YAML takes a hundred times its size in memory. */
export const maxYamlBytes = 2 * 1024 ** 2

/** Accepts only values that JSON has: no cycles, no infinite numbers, and no `__proto__`. */
export async function parseDataText(
  { source, text, isYaml }: DataText,
  maxJsonDepth: number,
): Promise<unknown> {
  const format = isYaml ? 'YAML' : 'JSON'
  try {
    const json = isYaml ? await yamlToJson(text) : text
    assertDepth(json, maxJsonDepth)
    return parseJson(json, maybeInfinite.test(json) ? assertJsonNumber : null)
  } catch (error) {
    const isExhausted = error instanceof RangeError || /call stack/.test(toMessage(error))
    const reason = isExhausted ? 'it is nested too deeply, or too large' : toPlaced(error, text)
    throw new UnreadableData(`${withoutSecrets(source)} cannot be read as ${format}: ${reason}`, {
      cause: error,
    })
  }
}

async function yamlToJson(text: string): Promise<string> {
  if (text.length > maxYamlBytes)
    throw new Error(`it is larger than ${formatMebibytes(maxYamlBytes)}: convert it to JSON`)
  // esbuild gives a CommonJS module only a default export.
  const { default: yaml } = await import('yaml')
  const { parseDocument, visit } = yaml
  // The check of the parser for unique keys takes the square of their number.
  const document = parseDocument(text, { merge: true, stringKeys: true, uniqueKeys: false })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw problem
  visit(document, {
    Map: (_, { items }) => {
      assertUniqueKeys(items.map(({ key }) => String(key)))
    },
  })
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  return JSON.stringify(value, assertJsonNumber)
}

/** In JSON, 1e400 or a number of more than 308 digits is infinite. */
const maybeInfinite = /e\+?\d{3}|\d{309}/i

function assertJsonNumber(name: string, member: unknown): unknown {
  const isStorable = typeof member !== 'number' || Number.isFinite(member)
  if (isStorable && typeof member !== 'bigint') return member
  throw new Error(`${name} is a number that JSON does not have`)
}

function assertUniqueKeys(keys: readonly string[]): void {
  const seen = new Set<string>()
  for (const key of keys) {
    if (seen.has(key)) throw new Error(`a map has the key ${key} twice`)
    seen.add(key)
  }
}

/** V8 has the line and the column in its other messages. */
const hasNoPlace = /^Unexpected end|is not valid JSON$/

function toPlaced(error: unknown, text: string): string {
  if (!(error instanceof SyntaxError && hasNoPlace.test(error.message))) return toMessage(error)
  const [what = 'Unexpected text'] =
    /^Unexpected (token '.+?'|end of JSON input)/su.exec(error.message) ?? []
  const lines = text.slice(0, findPosition(text)).split('\n')
  const column = String((lines.at(-1)?.length ?? 0) + 1)
  return `${what} (line ${String(lines.length)} column ${column})`
}

/** The length of the longest start of the text that can continue as JSON. */
function findPosition(text: string): number {
  let [position, end] = [0, text.length]
  while (position < end) {
    const middle = Math.ceil((position + end) / 2)
    if (canContinue(text.slice(0, middle))) position = middle
    else end = middle - 1
  }
  return position
}

function canContinue(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { message } = error
    const [, position] = / at position (\d+) \(line \d+ column \d+\)$/.exec(message) ?? []
    return Number(position) === text.length || message.startsWith('Unexpected end')
  }
}
