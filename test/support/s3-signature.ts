import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export const accessKeyId = 'AKIDEXAMPLE'
export const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'

interface SignedRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  content: Buffer
}

const pattern =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/

/**
 * Why S3 would reject the request; undefined when its signature of version 4 holds. Written after
 * the description of AWS, and not after the client.
 */
export function findSignatureProblem(request: SignedRequest): string | undefined {
  const { headers, content } = request
  const [, key, day = '', region = '', names = '', signature] =
    pattern.exec(headers.authorization ?? '') ?? []
  if (key !== accessKeyId) return 'InvalidAccessKeyId'
  if (headers['x-amz-content-sha256'] !== sha256(content)) return 'XAmzContentSHA256Mismatch'
  const scope = `${day}/${region}/s3/aws4_request`
  const time = String(headers['x-amz-date'])
  const canonical = sha256(toCanonicalRequest(request, names))
  const text = ['AWS4-HMAC-SHA256', time, scope, canonical].join('\n')
  const dayKey = hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), 's3')
  const expected = hmac(hmac(dayKey, 'aws4_request'), text).toString('hex')
  return signature === expected ? undefined : 'SignatureDoesNotMatch'
}

function toCanonicalRequest(
  { method, path, query, headers }: SignedRequest,
  names: string,
): string {
  const parameters = [...query].map(([name, value]) => `${encode(name)}=${encode(value)}`)
  const lines = names.split(';').map((name) => `${name}:${String(headers[name] ?? '')}\n`)
  const parts = [method, path, parameters.toSorted().join('&'), lines.join(''), names]
  return [...parts, String(headers['x-amz-content-sha256'])].join('\n')
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
