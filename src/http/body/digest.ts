import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { parseDictionary, serializeDictionary, type Dictionary } from 'structured-headers'
import { isRawRequest } from '../request/target.ts'
import { badRequest, digestMismatch } from '../errors/http-error.ts'

// The algorithms that RFC 9530 §7.2 calls active; the others are passed over.
const hashNames = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const
type Algorithm = keyof typeof hashNames

// No content coding is undone here, so in a request both are of the same bytes (RFC 9530 §3.1).
const requestFields = ['content-digest', 'repr-digest'] as const

interface DigestCheck {
  update: (chunk: Uint8Array) => void
  /** Throws 400 when the content so far is not what the request has announced. */
  verify: () => void
}

/** Follows the content of a request that says its digest; throws 400 for a field that is none. */
export function createDigestCheck(headers: IncomingHttpHeaders): DigestCheck {
  const sent = requestFields.filter((field) => field in headers)
  const expectations = sent.flatMap((field) =>
    parseDigests(field, headers[field]).map(({ algorithm, digest }) => ({
      title: `${algorithm} in ${field}`,
      digest,
      hash: createHash(hashNames[algorithm]),
    })),
  )
  return {
    update: (chunk) => {
      for (const { hash } of expectations) hash.update(chunk)
    },
    verify: () => {
      for (const { title, digest, hash } of expectations) {
        const actual = hash.digest()
        if (actual.length !== digest.length || !timingSafeEqual(actual, digest)) {
          throw digestMismatch(`The content is not what ${title} says: it may be damaged.`)
        }
      }
    },
  }
}

function parseDigests(field: string, value: string | string[] | undefined) {
  const digests: { algorithm: Algorithm; digest: Uint8Array }[] = []
  for (const [algorithm, [digest]] of parseField(field, value)) {
    if (!(digest instanceof ArrayBuffer)) throw malformed(field)
    if (isKnown(algorithm)) digests.push({ algorithm, digest: new Uint8Array(digest) })
  }
  return digests
}

function parseField(field: string, value: string | string[] | undefined): Dictionary {
  try {
    return parseDictionary([value ?? ''].flat().join(', '))
  } catch (error) {
    throw malformed(field, error)
  }
}

function malformed(field: string, cause?: unknown) {
  return badRequest(`${field} is like sha-256=:…:, with the digest in Base64.`, cause)
}

function isKnown(name: string): name is Algorithm {
  return Object.hasOwn(hashNames, name)
}

/**
 * The algorithm that a Want-… field likes best of those we have: 10 most, 0 not at all. Undefined
 * when there is none; what cannot be read is no more than a hint missed (RFC 9530 §4).
 */
export function findWantedAlgorithm(value: string | string[] | undefined): Algorithm | undefined {
  if (value === undefined) return undefined
  let wanted: Algorithm | undefined
  let highest = 0
  for (const [algorithm, [weight]] of parseWants(value)) {
    if (!isKnown(algorithm) || !Number.isInteger(weight)) continue
    if (Number(weight) > highest && Number(weight) <= 10) {
      wanted = algorithm
      highest = Number(weight)
    }
  }
  return wanted
}

function parseWants(value: string | string[] | undefined): Dictionary {
  try {
    return parseField('Want', value)
  } catch {
    return new Map()
  }
}

/** Says the digests that a client wants of every answer that is at hand as a whole, and no stream. */
export function addDigestHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { headers, method, raw } = request
    const isWanted =
      !isRawRequest(raw) && ('want-repr-digest' in headers || 'want-content-digest' in headers)
    if (isWanted && (typeof payload === 'string' || Buffer.isBuffer(payload))) {
      addDigest(reply, 'repr-digest', findWantedAlgorithm(headers['want-repr-digest']), payload)
      // RFC 9530 appendix B.2: in answer to a HEAD the content is empty, the representation is not.
      const content = method === 'HEAD' ? '' : payload
      addDigest(
        reply,
        'content-digest',
        findWantedAlgorithm(headers['want-content-digest']),
        content,
      )
    }
    done(null, payload)
  })
}

function addDigest(
  reply: FastifyReply,
  field: string,
  algorithm: Algorithm | undefined,
  bytes: string | Uint8Array,
): void {
  // Of a part of something the whole has its digest already, and that is the one that is meant.
  if (algorithm === undefined || reply.hasHeader(field)) return
  const digest = createHash(hashNames[algorithm]).update(bytes).digest()
  reply.header(field, toField(algorithm, digest))
}

function toField(algorithm: Algorithm, digest: Uint8Array): string {
  return serializeDictionary({ [algorithm]: digest })
}

type Content = Buffer | Readable

interface DigestSource {
  size: number
  /** In hexadecimal, where it is known. */
  sha256?: string
  open: (start: number, end: number) => Content | Promise<Content>
}

/** {@link addDigestHeaders} for bytes that are sent as a stream: they are read once more when need be. */
export async function addStreamDigests(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, start, end }: { bytes: DigestSource; start: number; end: number },
): Promise<void> {
  const { headers, method } = request
  const ofWhole = findWantedAlgorithm(headers['want-repr-digest'])
  if (ofWhole) {
    const whole = { start: 0, end: bytes.size - 1 }
    reply.header('repr-digest', toField(ofWhole, await hash(ofWhole, bytes, whole)))
  }
  const ofContent = findWantedAlgorithm(headers['want-content-digest'])
  if (ofContent) {
    const content = method === 'HEAD' ? { start: 0, end: -1 } : { start, end }
    reply.header('content-digest', toField(ofContent, await hash(ofContent, bytes, content)))
  }
}

async function hash(
  algorithm: Algorithm,
  { size, sha256, open }: DigestSource,
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
