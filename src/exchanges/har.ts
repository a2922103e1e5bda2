import type { FastifyReply } from 'fastify'
import packageJson from '../../package.json' with { type: 'json' }
import { STATUS_CODES } from '../http/node-http.ts'
import { jsonContent, objectSchema } from '../http/openapi/content.ts'
import { toClientAddress } from '../http/request/client-address.ts'
import { sendChunks } from '../http/response/send.ts'
import { takeTurn } from '../http/turns.ts'
import { findField, type Exchange, type ExchangeBody, type Fields } from './exchange.ts'
import { toBytes } from './message-http.ts'

const harSchema = objectSchema({ log: { type: 'object' } })
export const harContent = jsonContent(harSchema, { log: { version: '1.2', entries: [] } })

/** HTTP Archive 1.2: http://www.softwareishard.com/blog/har-12-spec/ */
export function toHar(
  exchanges: readonly Exchange[],
  comment = 'Secrets are masked. A longer body is cut.',
) {
  return {
    log: {
      version: '1.2',
      creator: { name: 'Vitrine', version: packageJson.version },
      comment,
      entries: exchanges.map(toEntry),
    },
  }
}

type ExchangePages = AsyncGenerator<readonly Exchange[]>

export function sendHar(
  reply: FastifyReply,
  pages: ExchangePages,
  { file, comment }: { file: string; comment: string },
) {
  reply.header('content-disposition', `attachment; filename="${file}"`)
  const chunks = toHarChunks(pages, toClientAddress(reply.request), comment)
  return sendChunks(reply, 'application/json', chunks)
}

async function* toHarChunks(pages: ExchangePages, client: string, comment: string) {
  const end = ']}}'
  yield JSON.stringify(toHar([], comment)).slice(0, -end.length)
  let separator = ''
  const takePage = () => takeTurn(`export for ${client}`, () => pages.next())
  try {
    for (let page = await takePage(); page.done !== true; page = await takePage()) {
      for (const exchange of page.value) {
        yield separator + JSON.stringify(toEntry(exchange))
        separator = ','
      }
    }
    yield end
  } finally {
    await pages.return(undefined)
  }
}

function toEntry(exchange: Exchange) {
  const { receivedAt, times, connection, fault, step } = exchange
  const { body = 0, firstByte = times.end, end } = times
  const wait = Math.max(0, firstByte - body)
  const receive = Math.max(0, end - firstByte)
  return {
    startedDateTime: receivedAt,
    time: body + wait + receive,
    request: toRequest(exchange),
    response: toResponse(exchange),
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: body, wait, receive },
    connection: connection.id,
    // Left out if undefined. Names that begin with an underscore are free.
    _fault: fault,
    _step: step,
  }
}

function toRequest({ method, origin, target, requestBody, ...exchange }: Exchange) {
  const url = toUri(target, origin)
  return {
    method,
    url,
    httpVersion: `HTTP/${exchange.httpVersion}`,
    cookies: [],
    headers: toNamed(exchange.requestFields),
    queryString: toNamed([...new URLSearchParams(url.replace(/^[^?]*/, ''))]),
    ...(requestBody && {
      // HAR has no encoding of a request body.
      postData: { mimeType: toType(exchange.requestFields), ...toText(requestBody, '_encoding') },
    }),
    headersSize: -1,
    bodySize: requestBody?.size ?? 0,
    ...toTrailers(exchange.requestTrailerFields),
  }
}

/** A HAR has absolute URLs only, and a client may have sent no valid host. */
const local = 'http://localhost'

/** RFC 3986: clients send targets with other characters too. */
function toUri(target: string, origin: string): string {
  const [, sent = origin, rest = target] = /^(https?:\/\/[\w.:[\]-]+)(.*)$/i.exec(target) ?? []
  const [authority, path] = URL.canParse(sent) ? [sent, rest] : [local, target]
  const encoded = path.replace(/%(?![\da-f]{2})|[^\w\-.~:/?@!$&'()*+,;=%]/giu, encodeURIComponent)
  return authority + encoded.replace(/^(?!\/)/, '/')
}

function toResponse({ status, responseFields, responseBody, ...exchange }: Exchange) {
  const size = responseBody?.size ?? 0
  return {
    // Browsers export 0 too if there was no response.
    status: status ?? 0,
    statusText: STATUS_CODES[status ?? 0] ?? '',
    httpVersion: `HTTP/${exchange.httpVersion}`,
    cookies: [],
    headers: toNamed(responseFields),
    content: { size, mimeType: toType(responseFields), ...toText(responseBody, 'encoding') },
    redirectURL: findField(responseFields, 'location') ?? '',
    headersSize: -1,
    bodySize: size,
    ...toTrailers(exchange.trailerFields),
    // Chromium has this field.
    ...(exchange.isCutOff && { _error: 'cut off' }),
  }
}

function toText(body: ExchangeBody | undefined, encoding: string) {
  if (body === undefined) return {}
  const comment = body.isCut ? { comment: 'Only the start of the body.' } : {}
  if (body.text !== undefined) return { text: body.text, ...comment }
  return { text: toBytes(body).toString('base64'), [encoding]: 'base64', ...comment }
}

const toType = (fields: Fields) => findField(fields, 'content-type') ?? 'x-unknown'
/** HAR has no trailers. */
const toTrailers = (fields?: Fields) => fields && { _trailers: toNamed(fields) }
const toNamed = (pairs: Fields) => pairs.map(([name, value]) => ({ name, value }))
