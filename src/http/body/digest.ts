import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { parseDictionary, serializeDictionary, type Dictionary } from 'structured-headers'
import { isRawRequest } from '../request/target.ts'
import { badRequest, digestMismatch } from '../errors/http-error.ts'

// The active algorithms of RFC 9530 §7.2; others are ignored.
const hashNames = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const
type Algorithm = keyof typeof hashNames

type HeaderValue = string | string[] | undefined

interface DigestCheck {
  update: (chunk: Uint8Array) => void
  verify: () => void
}

export function createDigestCheck(headers: IncomingHttpHeaders): DigestCheck {
  // Without content coding both are of the same bytes (RFC 9530 §3.1).
  const expected = ['content-digest', 'repr-digest'].flatMap((header) =>
    header in headers ? parseDigests(header, headers[header]) : [],
  )
  return {
    update: (chunk) => {
      for (const { hash } of expected) hash.update(chunk)
    },
    verify: () => {
      for (const { title, digest, hash } of expected) {
        const actual = hash.digest()
        if (actual.length !== digest.length || !timingSafeEqual(actual, digest)) {
          throw digestMismatch(`The body does not match ${title}.`)
        }
      }
    },
  }
}

function parseDigests(header: string, value: HeaderValue) {
  const malformed = (cause?: unknown) =>
    badRequest(`${header} must have the form sha-256=:…: with a Base64 digest.`, cause)
  const digests = parseHeader(value, malformed)
  return [...digests].flatMap(([algorithm, [digest]]) => {
    if (!(digest instanceof ArrayBuffer)) throw malformed()
    if (!isKnown(algorithm)) return []
    const hash = createHash(hashNames[algorithm])
    return [{ title: `${algorithm} in ${header}`, digest: new Uint8Array(digest), hash }]
  })
}

function parseHeader(value: HeaderValue, toError: (cause: unknown) => Error): Dictionary {
  try {
    return parseDictionary([value ?? ''].flat().join(', '))
  } catch (error) {
    throw toError(error)
  }
}

function isKnown(name: string): name is Algorithm {
  return Object.hasOwn(hashNames, name)
}

/** The known algorithm with the highest weight, 1 to 10. An invalid header is ignored (RFC 9530 §4). */
export function findWantedAlgorithm(value: HeaderValue): Algorithm | undefined {
  if (value === undefined) return undefined
  let wanted: Algorithm | undefined
  let highest = 0
  for (const [algorithm, [weight]] of parseWants(value)) {
    if (!isKnown(algorithm) || typeof weight !== 'number' || !Number.isInteger(weight)) continue
    if (weight > highest && weight <= 10) {
      wanted = algorithm
      highest = weight
    }
  }
  return wanted
}

function parseWants(value: HeaderValue): Dictionary {
  try {
    return parseDictionary([value ?? ''].flat().join(', '))
  } catch {
    return new Map()
  }
}

export function addDigestHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { headers, method, raw } = request
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (isWhole && wantsDigest(headers) && !isRawRequest(raw)) {
      addDigest(reply, 'repr-digest', findWantedAlgorithm(headers['want-repr-digest']), payload)
      // RFC 9530 appendix B.2: for HEAD the content is empty, the representation is not.
      const content = method === 'HEAD' ? '' : payload
      const ofContent = findWantedAlgorithm(headers['want-content-digest'])
      addDigest(reply, 'content-digest', ofContent, content)
    }
    done(null, payload)
  })
}

export function wantsDigest(headers: IncomingHttpHeaders): boolean {
  return 'want-repr-digest' in headers || 'want-content-digest' in headers
}

function addDigest(
  reply: FastifyReply,
  header: string,
  algorithm: Algorithm | undefined,
  bytes: string | Uint8Array,
): void {
  // An existing header is of the whole representation, of which `bytes` is a part.
  if (algorithm === undefined || reply.hasHeader(header)) return
  const digest = createHash(hashNames[algorithm]).update(bytes).digest()
  reply.header(header, serializeDictionary({ [algorithm]: digest }))
}

export interface ByteSource {
  size: number
  /** In hexadecimal. */
  sha256?: string
  /** Both positions are inclusive. */
  open: (start: number, end: number) => ByteContent | Promise<ByteContent>
}

export type ByteContent = Buffer | Readable

/** {@link addDigestHeaders} for streams: the bytes are read a second time. */
export async function addStreamDigests(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  { bytes, start, end }: { bytes: ByteSource; start: number; end: number },
): Promise<void> {
  const add = async (name: 'repr-digest' | 'content-digest', from: number, to: number) => {
    const algorithm = findWantedAlgorithm(headers[`want-${name}`])
    if (algorithm === undefined) return
    const digest = await hash(algorithm, bytes, { start: from, end: to })
    reply.header(name, serializeDictionary({ [algorithm]: digest }))
  }
  await add('repr-digest', 0, bytes.size - 1)
  if (method === 'HEAD') await add('content-digest', 0, -1)
  else await add('content-digest', start, end)
}

async function hash(
  algorithm: Algorithm,
  { size, sha256, open }: ByteSource,
  { start, end }: { start: number; end: number },
): Promise<Uint8Array> {
  const isWhole = start === 0 && end === size - 1
  if (isWhole && sha256 !== undefined && algorithm === 'sha-256') return Buffer.from(sha256, 'hex')
  const hashing = createHash(hashNames[algorithm])
  if (end < start) return hashing.digest()
  const content = await open(start, end)
  if (Buffer.isBuffer(content)) hashing.update(content)
  else for await (const chunk of content) hashing.update(chunk as Buffer)
  return hashing.digest()
}
