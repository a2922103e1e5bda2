import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { findSignatureProblem } from './s3-signature.ts'

/** The failure of a request: a status code, no response, or a connection cut half way. */
export type S3Fault = number | 'hang' | 'stall' | 'cut' | undefined

export interface S3Server {
  /** As FILES_URL has it, with the bucket `glass`. */
  url: string
  objects: Map<string, S3Object>
  /** By upload id. */
  uploads: Map<string, S3Upload>
  /** Operations requested so far, by their names in the API reference. */
  sent: string[]
  /** Looked at with the name of each operation, before it is done. */
  fault: (operation: string) => S3Fault | Promise<S3Fault>
  close: () => Promise<void>
  restart: () => Promise<void>
}

interface S3Object {
  content: Buffer
  etag: string
  modified: Date
}

interface S3Upload {
  key: string
  parts: Map<number, S3Object>
}

interface TestRequest {
  method: string
  path: string
  key: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  content: Buffer
}

interface Reply {
  status: number
  headers?: Record<string, string>
  content?: Buffer | string
}

const bucket = 'glass'
const pageSize = 3
const minPartBytes = 5 * 1024 ** 2

/** The part of S3 that Vitrine uses, in memory and strict: signatures, sizes and ETags must match. */
export async function startS3(): Promise<S3Server> {
  const state = { objects: new Map<string, S3Object>(), uploads: new Map<string, S3Upload>() }
  const received = (request: IncomingMessage, response: ServerResponse) => {
    respond(s3, request, response).catch((error: unknown) => {
      response.destroy(error as Error)
    })
  }
  let server = createServer(received).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${String(port)}`
  const s3: S3Server = {
    ...state,
    url: `s3://${bucket}/some/files?endpoint=${endpoint}&region=eu-test-1`,
    sent: [],
    fault: () => undefined,
    close: async () => {
      if (!server.listening) return
      server.close().closeAllConnections()
      await once(server, 'close')
    },
    restart: async () => {
      server = createServer(received).listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
  return s3
}

async function respond(s3: S3Server, request: IncomingMessage, response: ServerResponse) {
  const { method = '', url = '', headers } = request
  const { pathname, searchParams: query } = new URL(url, 'http://s3')
  const [, name, ...rest] = pathname.split('/').map(decodeURIComponent)
  const operation = toOperation(method, rest.length > 0, query)
  s3.sent.push(operation)
  const fault = await s3.fault(operation)
  if (fault === 'hang') return
  if (fault === 'cut' && method === 'PUT') {
    if (headers['content-length'] !== '0') await once(request, 'data')
    request.socket.destroy()
    return
  }
  const content = await buffer(request)
  const message = { method, path: pathname, key: rest.join('/'), query, headers, content }
  const problem = findSignatureProblem(message)
  let reply: Reply
  if (typeof fault === 'number') reply = toError(fault, 'InternalError')
  else if (problem !== undefined) reply = toError(403, problem)
  else if (name !== bucket) reply = toError(404, 'NoSuchBucket')
  else reply = operate(s3, operation, message)
  await send(response, reply, { method, fault })
}

async function send(
  response: ServerResponse,
  { status, headers, content = '' }: Reply,
  { method, fault }: { method: string; fault: S3Fault },
) {
  const bytes = Buffer.from(content)
  response.writeHead(status, {
    ...(method !== 'HEAD' && { 'content-length': bytes.length }),
    ...headers,
  })
  if (fault !== 'cut' && fault !== 'stall') {
    response.end(method === 'HEAD' ? undefined : bytes)
    return
  }
  const half = bytes.subarray(0, bytes.length / 2)
  // What was written has to leave before the connection ends.
  response.write(half, () => fault === 'cut' && response.socket?.destroy())
}

function toOperation(method: string, hasKey: boolean, query: URLSearchParams): string {
  if (query.has('uploads')) return hasKey ? 'CreateMultipartUpload' : 'ListMultipartUploads'
  if (query.has('list-type')) return 'ListObjectsV2'
  const ofUpload = {
    GET: 'ListParts',
    PUT: 'UploadPart',
    POST: 'CompleteMultipartUpload',
    DELETE: 'AbortMultipartUpload',
  }
  const ofObject = {
    GET: 'GetObject',
    HEAD: 'HeadObject',
    PUT: 'PutObject',
    DELETE: 'DeleteObject',
  }
  const operations: Record<string, string> = query.has('uploadId') ? ofUpload : ofObject
  return operations[method] ?? method
}

function operate(s3: S3Server, operation: string, message: TestRequest): Reply {
  const { objects, uploads } = s3
  const { key, query, content } = message
  const uploadId = query.get('uploadId') ?? ''
  const upload = uploads.get(uploadId)
  if (query.has('uploadId') && upload?.key !== key) return toError(404, 'NoSuchUpload')
  switch (operation) {
    case 'PutObject':
      objects.set(key, toObject(content))
      return { status: 200 }
    case 'HeadObject':
    case 'GetObject':
      return readObject(objects.get(key), message)
    case 'DeleteObject':
      objects.delete(key)
      return { status: 204 }
    case 'CreateMultipartUpload': {
      const id = `${randomUUID()}+/=`
      uploads.set(id, { key, parts: new Map() })
      return xml('InitiateMultipartUploadResult', `<UploadId>${id}</UploadId>`)
    }
    case 'UploadPart': {
      const part = toObject(content)
      upload?.parts.set(Number(query.get('partNumber')), part)
      return { status: 200, headers: { etag: part.etag } }
    }
    case 'CompleteMultipartUpload':
      return completeUpload(s3, uploadId, message)
    case 'AbortMultipartUpload':
      uploads.delete(uploadId)
      return { status: 204 }
    case 'ListParts':
      return listParts(upload?.parts ?? new Map<number, S3Object>(), query)
    case 'ListMultipartUploads':
      return listUploads(uploads, query)
    case 'ListObjectsV2':
      return listObjects(objects, query)
    default:
      return toError(405, 'MethodNotAllowed')
  }
}

function readObject(object: S3Object | undefined, { method, headers }: TestRequest): Reply {
  if (object === undefined) return toError(404, 'NoSuchKey')
  const { content, etag } = object
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  if (method === 'HEAD' || from === undefined) return { status: 200, headers: { etag }, content }
  const [start, end] = [Number(from), Math.min(Number(to), content.length - 1)]
  if (start >= content.length) return toError(416, 'InvalidRange')
  const range = `bytes ${String(start)}-${String(end)}/${String(content.length)}`
  const part = content.subarray(start, end + 1)
  return { status: 206, headers: { etag, 'content-range': range }, content: part }
}

function completeUpload(
  { objects, uploads }: S3Server,
  uploadId: string,
  { key, content }: TestRequest,
): Reply {
  const parts = uploads.get(uploadId)?.parts
  const named = [...content.toString().matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => ({
    object: parts?.get(Number(/<PartNumber>(\d+)</.exec(part)?.[1])),
    etag: /<ETag>(.*?)</.exec(part)?.[1]?.replaceAll('&quot;', '"'),
  }))
  if (named.length === 0) return toError(400, 'MalformedXML')
  const contents: Buffer[] = []
  for (const [index, { object, etag }] of named.entries()) {
    if (object?.etag !== etag || object === undefined) return toError(400, 'InvalidPart')
    const isLast = index === named.length - 1
    if (!isLast && object.content.length < minPartBytes) return toError(400, 'EntityTooSmall')
    contents.push(object.content)
  }
  // R2 wants all parts but the last of one size.
  const sizes = new Set(contents.slice(0, -1).map(({ length }) => length))
  if (sizes.size > 1) return toError(400, 'InvalidPart')
  objects.set(key, toObject(Buffer.concat(contents)))
  uploads.delete(uploadId)
  return xml('CompleteMultipartUploadResult', `<Key>${key}</Key>`)
}

function listParts(parts: Map<number, S3Object>, query: URLSearchParams): Reply {
  const after = Number(query.get('part-number-marker') ?? 0)
  const rest = [...parts].filter(([number]) => number > after).toSorted(([a], [b]) => a - b)
  const page = rest.slice(0, pageSize)
  const list = page.map(
    ([number, { etag }]) =>
      `<Part><PartNumber>${String(number)}</PartNumber><ETag>${toXml(etag)}</ETag></Part>`,
  )
  const marker = String(page.at(-1)?.[0] ?? after)
  return xml(
    'ListPartsResult',
    `<NextPartNumberMarker>${marker}</NextPartNumberMarker>${list.join('')}` +
      `<IsTruncated>${String(page.length < rest.length)}</IsTruncated>`,
  )
}

/** As MinIO does: of one object, named whole. */
function listUploads(uploads: Map<string, S3Upload>, query: URLSearchParams): Reply {
  const elements = [...uploads]
    .filter(([, { key }]) => key === query.get('prefix'))
    .map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
  return xml('ListMultipartUploadsResult', elements.join(''))
}

function listObjects(objects: Map<string, S3Object>, query: URLSearchParams): Reply {
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const rest = [...objects]
    .filter(([key]) => key.startsWith(prefix) && key > after)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const page = rest.slice(0, pageSize)
  const list = page.map(([key, { modified }]) => {
    const seconds = modified.toISOString().replace(/\d{3}Z$/, '000Z')
    return `<Contents><Key>${key}</Key><LastModified>${seconds}</LastModified></Contents>`
  })
  const token = `<NextContinuationToken>${page.at(-1)?.[0] ?? ''}</NextContinuationToken>`
  return xml('ListBucketResult', list.join('') + (page.length < rest.length ? token : ''))
}

function toObject(content: Buffer): S3Object {
  const etag = `"${createHash('md5').update(content).digest('hex')}"`
  return { content, etag, modified: new Date() }
}

function xml(name: string, content: string): Reply {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${content}</${name}>`
  return { status: 200, headers: { 'content-type': 'application/xml' }, content: text }
}

function toError(status: number, code: string): Reply {
  return { ...xml('Error', `<Code>${code}</Code><Message>no</Message>`), status }
}

function toXml(text: string): string {
  return text.replaceAll('"', '&quot;')
}
