import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { parseJson } from '../http/body/parse-json.ts'
import { readBytes } from '../http/body/read-bytes.ts'
import { decodeUtf8 } from '../http/request/parameters.ts'
import type { Pair } from '../http/security/visitor-response.ts'

/** The parameters of a raw path, in their order. */
export function toQuery({ raw }: FastifyRequest): readonly Pair[] {
  const { url = '' } = raw.target ?? {}
  const start = url.indexOf('?')
  return start === -1 ? [] : [...new URLSearchParams(url.slice(start))]
}

/**
 * The JSON of the parameter `description` or, without any parameter, of the body. It is unchecked, and
 * undefined if there is none. Throws 400 and 413.
 */
export async function readDescription(
  request: FastifyRequest,
  query: readonly Pair[],
  config: Config,
): Promise<unknown> {
  const [, given] = query.find(([name]) => name === 'description') ?? []
  if (given !== undefined) return parseJson(given, config, 'description')
  if (query.length > 0) return undefined
  const bytes = await readBytes(request.raw, config)
  return bytes.length === 0 ? undefined : parseJson(decodeUtf8(bytes), config)
}
