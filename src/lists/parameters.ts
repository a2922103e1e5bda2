import type { FastifyRequest } from 'fastify'
import { maxValues } from '../config/limits.ts'
import { HttpError, unprocessable } from '../http/errors/http-error.ts'

export type ParameterTexts = ReadonlyMap<string, readonly string[]>

export interface ListUrl {
  path: string
  parameters: ParameterTexts
}

export const firstPage = { page: undefined, after: undefined }

export function toHref(
  { path, parameters }: ListUrl,
  changes: Readonly<Record<string, string | readonly string[] | undefined>> = {},
): string {
  const texts = new URLSearchParams()
  for (const [name, values] of parameters) for (const value of values) texts.append(name, value)
  for (const [name, value] of Object.entries(changes)) {
    texts.delete(name)
    for (const each of [value ?? []].flat()) texts.append(name, each)
  }
  return texts.size === 0 ? path : `${path}?${texts.toString()}`
}

/** `message` completes "name …": `must be a number`. */
export function badParameter(field: string, message: string): HttpError {
  return unprocessable([{ field, message }])
}

/** Throws 400 for a bad parameter, 422 with QUERY, whose body may have it. */
export function withParameterErrors<Parsed>(
  { method }: Pick<FastifyRequest, 'method'>,
  parse: () => Parsed,
  back?: HttpError['back'],
): Parsed {
  try {
    return parse()
  } catch (error) {
    const isParameter = error instanceof HttpError && error.problem === 'invalid-fields'
    if (!isParameter || method === 'QUERY') throw error
    throw new HttpError('unknown-parameter', error.message, { back })
  }
}

export function parseTexts(name: string, value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (values.some((item) => !['string', 'number', 'boolean'].includes(typeof item)))
    throw badParameter(name, 'must be text, a number, true, false, or a list of them')
  if (values.length === 0) throw badParameter(name, 'must have a value')
  if (values.length > maxValues)
    throw badParameter(name, `must have at most ${String(maxValues)} values`)
  return values.map(String)
}
