import secureJson from 'secure-json-parse'
import { formatNumber } from '../../config/format-count.ts'
import type { Config } from '../../config/config.ts'
import { badRequest } from '../errors/http-error.ts'

// JSON.parse gives the same result for all other texts, in half the time.
const suspicious = ['__proto__', 'constructor', String.raw`\u`, '\ufeff']

export function parseJson(
  text: string,
  { maxJsonDepth }: Pick<Config, 'maxJsonDepth'>,
  what = 'The body',
): unknown {
  assertDepth(text, maxJsonDepth)
  try {
    const isSuspicious = suspicious.some((part) => text.includes(part))
    return isSuspicious ? secureJson.parse(text) : JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    // Other messages may quote the body, but do not start with it.
    const detail = reason.startsWith('Object contains forbidden')
      ? `${what} must not have a member __proto__ or constructor.prototype.`
      : `${what} is not valid JSON: ${reason}.`
    throw badRequest(detail, error)
  }
}

/** Throws 400. Call it before parsing: deep nesting would exhaust the stack. */
export function assertDepth(text: string, maxDepth: number, outerDepth = 0): void {
  // Brackets in strings count too: an upper bound, 40 times as fast as the exact depth.
  if (!hasMoreThan(text, '[{', maxDepth - outerDepth)) return
  let depth = outerDepth
  let isInString = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (character === '"') isInString = !isInString
    else if (isInString && character === '\\') index += 1
    else if (isInString) continue
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > maxDepth)
      throw badRequest(`The JSON is nested deeper than ${formatNumber(maxDepth)} (MAX_JSON_DEPTH).`)
  }
}

export function hasMoreThan(text: string, characters: string, count: number): boolean {
  let left = count
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      left -= 1
      if (left < 0) return true
    }
  }
  return false
}
