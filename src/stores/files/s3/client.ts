import { AwsV4Signer } from 'aws4fetch'
import { hash } from 'node:crypto'
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- loaded only where a bucket is set
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { StoreFailure } from '../../store-failure.ts'

export interface S3Settings {
  /** `s3://bucket/prefix?endpoint=https://…&region=…` */
  url: string
  accessKeyId: string
  secretAccessKey: string
}

interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Without the prefix; the bucket itself when unset. */
  name?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Buffer | string
  /** Whether it must not be repeated: after a lost response the first one may have been applied. */
  isOnce?: boolean
}

interface S3Response {
  headers: IncomingMessage['headers']
  text: string
}

export interface S3Client {
  /** Empty, or ends in a slash. */
  prefix: string
  /** Resolves with the whole response. */
  send: (request: S3Request) => Promise<S3Response>
  /** Resolves with the response before its body was read. */
  open: (request: S3Request) => Promise<IncomingMessage>
  close: () => void
}

/** An error response, with its code such as `NoSuchKey`. */
export class S3Error extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, body: string) {
    const code = /<Code>([^<]*)<\/Code>/.exec(body)?.[1] ?? ''
    super(`S3 responded with ${String(status)} ${code}`.trimEnd())
    this.status = status
    this.code = code
  }
}

/**
 * Without a byte in either direction for this long the request fails, so that a client gets 503 in
 * two seconds.
 */
const silenceMs = 1500
/** Shorter than any server keeps an idle connection, so that none is closed under a request. */
const idleMs = 4000
const pausesMs = [100, 400]

/**
 * Sends signed requests; the caller closes it. Throws {@link S3Error} for an error response, and
 * {@link StoreFailure} when the store is full or unavailable.
 */
export function createS3Client({ url, accessKeyId, secretAccessKey }: S3Settings): S3Client {
  const { endpoint, region, bucket, prefix } = parseS3Url(url)
  const isTls = endpoint.startsWith('https:')
  const agentOptions = { keepAlive: true, timeout: idleMs }
  const agent = isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions)
  const signingKeys = new Map<string, ArrayBuffer>()

  async function send({ method, name, query, headers, body = '' }: S3Request) {
    // Path style: every S3 server supports it, under any host name.
    const target = new URL(`${endpoint}/${bucket}${name === undefined ? '' : `/${prefix}${name}`}`)
    for (const [key, value] of Object.entries(query ?? {})) target.searchParams.set(key, value)
    const signer = new AwsV4Signer({
      method,
      url: target.href,
      headers: { ...headers, 'x-amz-content-sha256': hash('sha256', body) },
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      cache: signingKeys,
    })
    const signed = Object.fromEntries((await signer.sign()).headers)
    const length = { 'content-length': Buffer.byteLength(body) }
    const options = { method, agent, timeout: silenceMs, headers: { ...signed, ...length } }
    return receive((isTls ? requestHttps : requestHttp)(target, options), body)
  }

  async function attempt<Result>(request: S3Request, read: Read<Result>): Promise<Result> {
    for (const pauseMs of request.isOnce ? [] : pausesMs) {
      try {
        return await read(await send(request))
      } catch (error) {
        if (!isPassing(error)) throw toStoreFailure(error)
        await setTimeout(pauseMs)
      }
    }
    try {
      return await read(await send(request))
    } catch (error) {
      throw toStoreFailure(error)
    }
  }

  return {
    prefix,
    send: (request) => attempt(request, readWhole),
    open: (request) => attempt(request, accept),
    close: () => {
      agent.destroy()
    },
  }
}

type Read<Result> = (response: IncomingMessage) => Promise<Result>

async function readWhole(response: IncomingMessage): Promise<S3Response> {
  const content = await text(await accept(response))
  // CompleteMultipartUpload may respond 200 and then fail in the body (S3 API reference).
  if (content.includes('<Error>')) throw new S3Error(500, content)
  return { headers: response.headers, text: content }
}

function parseS3Url(url: string) {
  const { hostname: bucket, pathname, searchParams } = new URL(url)
  const region = searchParams.get('region') ?? 'us-east-1'
  const endpoint = searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`
  const path = pathname.replace(/^\/|\/$/g, '')
  const prefix = path === '' ? '' : `${path}/`
  return { bucket, region, prefix, endpoint: endpoint.replace(/\/$/, '') }
}

async function receive(
  request: ReturnType<typeof requestHttp>,
  body: Buffer | string,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let received: IncomingMessage | undefined
  request.on('response', (response) => {
    received = response
    resolve(response)
  })
  request.on('error', reject)
  request.on('timeout', () => {
    // Received bytes that were not read wait for a slow client, not for the store.
    if (received?.readableLength) {
      request.setTimeout(silenceMs)
      return
    }
    const silence = new Error(`S3 has sent nothing for ${String(silenceMs)} ms`)
    request.destroy(Object.assign(silence, { code: 'ETIMEDOUT' }))
    received?.destroy(silence)
  })
  request.end(body)
  return promise
}

async function accept(response: IncomingMessage): Promise<IncomingMessage> {
  const { statusCode = 0 } = response
  if (statusCode < 300) return response
  throw new S3Error(statusCode, await text(response))
}

function isPassing(error: unknown): boolean {
  if (error instanceof S3Error) return [500, 502, 503, 504].includes(error.status)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ECONNRESET' || code === 'EPIPE'
}

function toStoreFailure(error: unknown): unknown {
  if (!(error instanceof S3Error)) return isOfNetwork(error) ? unavailable(error) : error
  const { status, code } = error
  if (status === 507 || /Full$|Quota/.test(code)) return new StoreFailure('full', error)
  const isDown = status >= 500 || status === 429 || status === 403 || code === 'NoSuchBucket'
  return isDown ? unavailable(error) : error
}

function isOfNetwork(error: unknown): boolean {
  return error instanceof Error && 'code' in error && !(error instanceof TypeError)
}

function unavailable(cause: unknown): StoreFailure {
  return new StoreFailure('unavailable', cause)
}
