import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHash, hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { parseDictionary, serializeDictionary, type Dictionary } from 'structured-headers'
import { isNameOf } from '../../config/is-name-of.ts'
import { addVary } from '../negotiation/negotiate.ts'
import { badRequest, HttpError } from '../errors/http-error.ts'

const hashNames = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const
type Algorithm = keyof typeof hashNames
const isKnown = (name: string) => isNameOf(hashNames, name)
type HeaderValue = string | string[] | undefined

function parseHeader(value: HeaderValue): Dictionary {
  return parseDictionary([value ?? ''].flat().join(', '))
}

export function createDigestCheck(headers: IncomingHttpHeaders) {
  const expected = ['Content-Digest', 'Repr-Digest'].flatMap((header) =>
    parseDigests(header, headers[header.toLowerCase()]),
  )
  return {
    update: (chunk: Uint8Array): void => {
      for (const { hashing } of expected) hashing.update(chunk)
    },
    verify: (): void => {
      const wrong = expected.find(({ hashing, digest }) => !hashing.digest().equals(digest))
      if (wrong) throw new HttpError('digest-mismatch', `The body does not match ${wrong.title}.`)
    },
  }
}

function parseDigests(header: string, value: HeaderValue) {
  if (value === undefined) return []
  try {
    return [...parseHeader(value)].flatMap(([algorithm, [digest]]) => {
      if (!(digest instanceof ArrayBuffer)) throw new TypeError('not a byte sequence')
      if (!isKnown(algorithm)) return []
      const hashing = createHash(hashNames[algorithm])
      const title = `the ${algorithm} digest in ${header}`
      return [{ title, digest: new Uint8Array(digest), hashing }]
    })
  } catch (error) {
    throw badRequest(`${header} must have the form sha-256=:…: with a Base64 digest.`, error)
  }
}

/** The known algorithm with the highest weight, 1 to 10. An invalid header is ignored (RFC 9530 §4). */
export function findWantedAlgorithm(value: HeaderValue): Algorithm | undefined {
  try {
    const weights = [...parseHeader(value)].flatMap(([algorithm, [weight]]) =>
      isKnown(algorithm) && Number.isInteger(weight) ? [{ algorithm, weight: Number(weight) }] : [],
    )
    const allowed = weights.filter(({ weight }) => weight >= 1 && weight <= 10)
    return allowed.toSorted((one, other) => other.weight - one.weight)[0]?.algorithm
  } catch {
    return undefined
  }
}

export function wantsDigest(headers: IncomingHttpHeaders): boolean {
  return 'want-repr-digest' in headers || 'want-content-digest' in headers
}

export function addDigestHeaders(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const { headers, method } = request
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
  if (!isWhole || !wantsDigest(headers)) return
  // RFC 9530 appendix B.2: for HEAD the content is empty, the representation is not.
  const content = method === 'HEAD' ? '' : payload
  for (const [name, bytes] of Object.entries({ repr: payload, content })) {
    const algorithm = findWantedAlgorithm(headers[`want-${name}-digest`])
    // An existing header describes the whole representation; `payload` is a part of it.
    if (algorithm === undefined || reply.hasHeader(`${name}-digest`)) continue
    setDigest(reply, name, { [algorithm]: hash(hashNames[algorithm], bytes, 'buffer') })
  }
}

export interface ByteSource {
  size: number
  sha256?: string
  isInMemory?: boolean
  /** Both positions are inclusive. */
  open: (start: number, end: number) => ByteContent | Promise<ByteContent>
}

export type ByteContent = Buffer | Readable

export async function addStreamDigests(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  { bytes, start, end }: { bytes: ByteSource; start: number; end: number },
): Promise<void> {
  const repr = { start: 0, end: bytes.size - 1 }
  const content = method === 'HEAD' ? { start: 0, end: -1 } : { start, end }
  for (const [name, range] of Object.entries({ repr, content })) {
    const algorithm = findWantedAlgorithm(headers[`want-${name}-digest`])
    if (algorithm === undefined) continue
    setDigest(reply, name, { [algorithm]: await hashRange(algorithm, bytes, range) })
  }
}

function setDigest(reply: FastifyReply, name: string, digests: Record<string, Buffer>): void {
  addVary(reply, `Want-${name === 'repr' ? 'Repr' : 'Content'}-Digest`)
  reply.header(`${name}-digest`, serializeDictionary(digests))
}

async function hashRange(
  algorithm: Algorithm,
  { size, sha256, open }: ByteSource,
  { start, end }: { start: number; end: number },
): Promise<Buffer> {
  const isWhole = start === 0 && end === size - 1
  if (isWhole && sha256 !== undefined && algorithm === 'sha-256') return Buffer.from(sha256, 'hex')
  const hashing = createHash(hashNames[algorithm])
  if (end < start) return hashing.digest()
  const content = await open(start, end)
  // A stream without an encoding, as each that `open` returns, yields buffers.
  const chunks: AsyncIterable<Buffer> | [Buffer] = Buffer.isBuffer(content) ? [content] : content
  for await (const chunk of chunks) hashing.update(chunk)
  return hashing.digest()
}
