import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { formatCount } from '../../config/format-count.ts'
import { isObject } from '../../config/is-object.ts'
import { maxBinNameLength } from '../../config/limits.ts'
import { isForm } from '../../http/body/body-reader.ts'
import { parseJson } from '../../http/body/parse-json.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import { checkAlternatives } from '../../responses/alternatives.ts'
import { badDescription, toInner } from '../../responses/parse-description.ts'
import { defaultResponse, type BinChange } from './bin-store.ts'

/** Throws 400. */
export function parseBin(request: FastifyRequest, config: Config): BinChange {
  const { body = {} } = request
  if (!isObject(body)) throw badRequest('The body must be a JSON object or a form.')
  const { response, name, ...others } = body
  const unknown = Object.keys(others).find((name) => name !== '_method')
  if (unknown !== undefined)
    throw badRequest(
      `The member ${unknown} is not allowed. A bin has only the members response and name.`,
    )
  return {
    ...(name !== undefined && { name: parseName(name) }),
    ...(response !== undefined && { response: parseResponse(request, response, config) }),
  }
}

const oneLine = new RegExp(`^[^\\p{Cc}\\p{Cs}]{0,${String(maxBinNameLength)}}$`, 'u')

function parseName(name: unknown): string {
  if (typeof name === 'string' && oneLine.test(name)) return name.trim()
  const message = `must be one line of text with at most ${formatCount(maxBinNameLength, 'character')}`
  throw badDescription([{ field: 'name', message }])
}

function parseResponse(request: FastifyRequest, response: unknown, config: Config): string {
  if (response === null) return defaultResponse
  const isText = typeof response === 'string' && isForm(request)
  const given = isText ? parseJson(response, config, 'response') : response
  const checked = checkAlternatives(given, config)
  if ('value' in checked) return JSON.stringify(given)
  throw badDescription(toInner('response', checked.problems))
}
