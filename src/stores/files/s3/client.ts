import { AwsV4Signer } from 'aws4fetch'
import { hash } from 'node:crypto'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Config } from '../../../config/config.ts'
import { hasCode } from '../../../config/has-code.ts'
import { filesUnavailable, StoreFailure } from '../../store-failure.ts'
import { delay } from '../../../timers.ts'

export type S3Settings = Pick<Config, 'filesUrl' | 'awsAccessKeyId' | 'awsSecretAccessKey'>

interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  name?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Buffer | string
  /** Whether it must not be repeated: after a lost response the first one may have been applied. */
  isOnce?: boolean
}

export type S3Client = ReturnType<typeof createS3Client>

export class S3Error extends Error {
  readonly status: number

  constructor(status: number, body: string) {
    const code = /<Code>([^<]*)<\/Code>/.exec(body)?.[1] ?? ''
    super(`S3 responded with ${String(status)} ${code}`.trimEnd())
    this.status = status
  }
}

/** A silent request fails after this, so that a client gets 503 in two seconds. */
const maxSilenceMs = 1500
/**
 * The system takes a body of megabytes at once, and Node cannot see how much of it S3 has received. A response
 * may therefore take as long as the body takes at this rate, half of a connection of 1 Mbit/s.
 */
const minBodyBytesPerMs = 64
/** Every server keeps an idle connection for longer, so that none is closed under a request. */
const idleMs = 4000
const pausesMs = [100, 400]

export function createS3Client(settings: S3Settings, silenceMs = maxSilenceMs) {
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = settings
  const { endpoint, region, bucket, prefix } = parseS3Url(settings.filesUrl)
  // Imports of these modules would load more of Node.js at each start.
  const { Agent, request: openRequest } = endpoint.startsWith('https:')
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http')
  const agent = new Agent({ keepAlive: true, timeout: idleMs })
  const keys = { accessKeyId, secretAccessKey, region, service: 's3', cache: new Map() }

  async function sendOnce({ method, name, query = {}, headers, body = '' }: S3Request) {
    // Path style: every S3 server supports it, under any host name.
    const target = new URL(`${endpoint}/${bucket}${name === undefined ? '' : `/${prefix}${name}`}`)
    for (const [key, value] of Object.entries(query)) target.searchParams.set(key, value)
    const signer = new AwsV4Signer({
      method,
      url: target.href,
      headers: { ...headers, 'x-amz-content-sha256': hash('sha256', body) },
      ...keys,
    })
    const signed = Object.fromEntries((await signer.sign()).headers)
    const length = Buffer.byteLength(body)
    const timeout = silenceMs + Math.ceil(length / minBodyBytesPerMs)
    const options = { method, agent, timeout, headers: { ...signed, 'content-length': length } }
    return receive(openRequest(target, options).end(body), silenceMs)
  }

  async function open(request: S3Request): Promise<IncomingMessage> {
    const response = await sendOnce(request)
    const { statusCode = 0 } = response
    if (statusCode >= 300) throw new S3Error(statusCode, await text(response))
    return response
  }

  async function readWhole(request: S3Request) {
    const response = await open(request)
    const content = await text(response)
    // CompleteMultipartUpload may respond 200 and then fail in the body (S3 API reference).
    if (content.includes('<Error>')) throw new S3Error(500, content)
    return { headers: response.headers, text: content }
  }

  return {
    prefix,
    send: (request: S3Request) => retryPassing(() => readWhole(request), request.isOnce),
    open: (request: S3Request) => retryPassing(() => open(request)),
    close: agent.destroy.bind(agent),
  }
}

async function retryPassing<Result>(run: () => Promise<Result>, isOnce = false): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const pauseMs = isOnce ? undefined : pausesMs[attempt]
      if (pauseMs === undefined || !isPassing(error)) throw s3ErrorToFailure(error)
      await delay(pauseMs)
    }
  }
}

function parseS3Url(url: string) {
  const { hostname: bucket, pathname, searchParams } = new URL(url)
  const region = searchParams.get('region') ?? 'us-east-1'
  const endpoint = searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`
  const path = pathname.replace(/^\/|\/$/g, '')
  return { bucket, region, prefix: path && `${path}/`, endpoint: endpoint.replace(/\/$/, '') }
}

function receive(request: ClientRequest, silenceMs: number): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let received: IncomingMessage | undefined
  request.on('response', (response) => {
    received = response
    request.setTimeout(silenceMs)
    resolve(response)
  })
  request.on('error', reject)
  request.on('timeout', () => {
    // Received bytes that were not read wait for a slow client, not for the store.
    if (received?.readableLength) return void request.setTimeout(silenceMs)
    const silence = new Error('S3 has sent nothing for too long')
    request.destroy(Object.assign(silence, { code: 'ETIMEDOUT' }))
    received?.destroy(silence)
  })
  return promise
}

function isPassing(error: unknown): boolean {
  if (error instanceof S3Error) return [500, 502, 503, 504].includes(error.status)
  return hasCode(error, 'ECONNRESET', 'EPIPE')
}

function s3ErrorToFailure(error: unknown): unknown {
  if (error instanceof S3Error) {
    const { status, message } = error
    if (status === 507 || /Full$|Quota/.test(message)) return new StoreFailure('full', error)
    const isDown = status >= 500 || [403, 429].includes(status) || message.endsWith('NoSuchBucket')
    return isDown ? new StoreFailure('unavailable', error, filesUnavailable) : error
  }
  const isOfNetwork = error instanceof Error && 'code' in error && !(error instanceof TypeError)
  return isOfNetwork ? new StoreFailure('unavailable', error, filesUnavailable) : error
}
