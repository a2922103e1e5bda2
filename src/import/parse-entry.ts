import type { XStatic } from 'typebox/schema'
import { isObject } from '../config/is-object.ts'
import type { Fields } from '../exchanges/exchange.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { toFieldProblems } from '../http/body/schema-problems.ts'
import { explainProblem } from '../http/errors/http-error.ts'
import { InvalidHar, type EntryText } from './read-entries.ts'

const text = { type: 'string' } as const
const field = {
  type: 'object',
  required: ['name', 'value'],
  properties: { name: text, value: text },
} as const
const fields = { type: 'array', items: field } as const

/** What an import reads of an entry. Programs leave out or add other members. */
const entrySchema = {
  type: 'object',
  required: ['request', 'response'],
  properties: {
    request: {
      type: 'object',
      required: ['method', 'url'],
      properties: { method: text, url: text, headers: fields },
    },
    response: {
      type: 'object',
      required: ['status'],
      properties: {
        status: { type: 'integer' },
        headers: fields,
        content: {
          type: 'object',
          properties: { text, encoding: text, mimeType: text, comment: text },
        },
      },
    },
  },
} as const

const getValidator = compileLater(entrySchema)
export type HarEntry = XStatic<typeof entrySchema>
type NamedFields = NonNullable<HarEntry['request']['headers']>

/** Throws {@link InvalidHar} with the place. */
export function parseEntry({ index, line }: EntryText, bytes: Buffer): HarEntry {
  const fail = (reason: string, cause?: unknown): never => {
    const place = `log.entries[${String(index)}] (line ${String(line)})`
    throw new InvalidHar(`${place} ${reason}`, { cause })
  }
  const value = parse(bytes, fail)
  const validator = getValidator()
  if (validator.Check(value)) return value
  const [problem] = validator.Errors(value)[1].flatMap(toFieldProblems)
  return fail(problem ? `is not valid: ${explainProblem(problem)}` : 'is not valid')
}

function parse(bytes: Buffer, fail: (reason: string, cause: unknown) => never): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch (error) {
    const [reason = ''] =
      error instanceof Error ? error.message.split(/ at position | in JSON|, "/) : []
    return fail(`is not JSON: ${reason}`, error)
  }
}

/** Chromium joins the values of a name with line feeds. */
export const toFields = (named: NamedFields = []): Fields =>
  named.flatMap(({ name, value }) => value.split('\n').map((line) => [name, line] as const))

/** The body of the request and its media type. Some programs write null for none. */
export function findPosted({ request }: HarEntry): { type: string; text: string } | undefined {
  const posted: unknown = 'postData' in request ? request.postData : undefined
  if (!isObject(posted) || typeof posted.text !== 'string') return undefined
  return { type: typeof posted.mimeType === 'string' ? posted.mimeType : '', text: posted.text }
}
