import { toVisitorHeaders, type VisitorLimits } from '../http/security/visitor-response.ts'
import type { BinRequest, BinResponse } from './dialect.ts'

type Trailer = readonly [name: string, toValue: () => string]

/** None over HTTP/1.0: only chunks can have trailers (RFC 9112 §7.1.2). */
export function toTrailers(
  { fastify }: BinRequest,
  { trailers = [], toTimingTrailer }: BinResponse,
  limits: VisitorLimits,
): readonly Trailer[] {
  if (fastify.raw.httpVersion === '1.0') return []
  const limited = toVisitorHeaders(trailers, limits)
  const names = new Set(trailers.map(([name]) => name.toLowerCase()))
  const ofVisitor = [...names].flatMap((name): Trailer[] => {
    const value = Object.hasOwn(limited, name) ? [limited[name]].flat().at(-1) : undefined
    return value === undefined ? [] : [[name, () => value]]
  })
  return toTimingTrailer ? [...ofVisitor, ['server-timing', toTimingTrailer]] : ofVisitor
}

/** Not those of Fastify, which writes their names without commas. */
export async function* appendTrailers(
  body: NonNullable<BinResponse['body']>,
  { response }: BinRequest,
  trailers: readonly Trailer[],
) {
  if (typeof body === 'string' || Buffer.isBuffer(body)) yield body
  else yield* body
  // Over HTTP/2, Node takes no pairs.
  response.addTrailers(Object.fromEntries(trailers.map(([name, toValue]) => [name, toValue()])))
}
