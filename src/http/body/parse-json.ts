import secureJson from 'secure-json-parse'
import type { Config } from '../../config/config.ts'
import { badRequest } from '../errors/http-error.ts'

/** The value of JSON text; throws a 400 for what is none, nested too deeply, or names a prototype. */
export function parseJson(text: string, { maxJsonDepth }: Pick<Config, 'maxJsonDepth'>): unknown {
  refuseDeepJson(text, maxJsonDepth)
  try {
    return secureJson.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw badRequest(`The content is not JSON that can be read: ${reason}`, error)
  }
}

/** Counted before parsing, so that no depth of nesting can exhaust the stack. */
function refuseDeepJson(text: string, maxDepth: number): void {
  if (!hasManyBrackets(text, maxDepth)) return
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isInString) {
      if (character === '\\') index += 1
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > maxDepth) {
      throw badRequest(`The JSON is nested deeper than ${String(maxDepth)}.`)
    }
  }
}

/** Whether more than so many open, in strings or outside; found 40 times as fast as the depth. */
function hasManyBrackets(text: string, count: number): boolean {
  let left = count
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      left -= 1
      if (left < 0) return true
    }
  }
  return false
}
