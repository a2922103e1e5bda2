import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { badRequest, HttpError, notFound } from '../../http/errors/http-error.ts'
import type { VisitorResponse } from '../../http/response/send-visitor-response.ts'
import type { Dialect, DialectRequest } from '../dialect.ts'
import { forOnly, inGoOnly, toEndpoint, type DialectEndpoint } from '../endpoint.ts'
import { toPrettyJson } from '../json.ts'
import { readAsset } from '../read-asset.ts'
import {
  renderJson,
  renderOwnPage,
  renderRedirect,
  renderText,
  toRequestMembers,
} from '../render.ts'
import { findHeader, findValue, toUrlBase64 } from '../text.ts'
import { toSafeText } from './headers.ts'
import { renderStatus } from './status.ts'

const xml = String(readAsset('sample.xml'))
const slideshow: unknown = JSON.parse(String(readAsset('sample.json')))
const face = String(readAsset('deny.txt'))

const kinds = ['webp', 'svg', 'jpeg', 'png']
const toImageType = (kind: string) => `image/${kind === 'svg' ? 'svg+xml' : kind}`
const images = new Map(kinds.map((kind) => [kind, readAsset(`image.${kind}`)]))
const mediaTypes = kinds.map(toImageType)

const anyInGo = { methods: inGoOnly('*') }

export const formatEndpoints = [
  toPage('/html', 'moby.html'),
  toPage('/encoding/utf8', 'utf8.html', { methods: forOnly('GET') }),
  toPage('/forms/post', 'form.html', { methods: forOnly('GET') }),
  toEndpoint('/xml', 'Return an XML document', renderXml, { mediaTypes: ['application/xml'] }),
  toJson('/json', 'Return a JSON document', () => slideshow),
  toEndpoint('/robots.txt', 'Return rules for robots', (request) =>
    renderPlain(request, 'User-agent: *\nDisallow: /deny\n'),
  ),
  toEndpoint('/deny', 'Return a page that the rules for robots deny', (request) =>
    renderPlain(request, request.dialect.isPython ? face : "YOU SHOULDN'T BE HERE"),
  ),
  toJson('/uuid', 'Return a random UUID', () => ({ uuid: randomUUID() })),
  toEndpoint('/base64/:value=aGk=', 'Decode Base64', decode),
  toEndpoint('/base64/encode/:value=aGk=', 'Encode as Base64', encode, anyInGo),
  toEndpoint('/base64/decode/:value=aGk=', 'Decode Base64', decode, anyInGo),
  toEndpoint(
    '/base64/:operation/*',
    'Another operation',
    (_, operation) => {
      throw badRequest(`invalid operation: ${operation}`)
    },
    anyInGo,
  ),
  toEndpoint('/links/:count=10', 'Redirect to the first of several pages', redirectToLinks, {
    statuses: [302],
  }),
  toEndpoint('/links/:count=10/:offset=0', 'Return a page with links', renderLinks),
  toJson('/hostname', 'Return a fixed host name', () => ({ hostname: 'go-httpbin' }), anyInGo),
  toJson('/version', 'Return the name of the service', () => ({ service: 'go-httpbin' }), anyInGo),
  toJson('/env', 'Return the variables HTTPBIN_ENV_*', listVariables, anyInGo),
  toCoding('/gzip', 'gzip', { flag: 'gzipped', compress: gzipSync }),
  toCoding('/deflate', 'deflate', { flag: 'deflated', compress: deflateSync }),
  toCoding('/brotli', 'br', { flag: 'brotli', compress: brotliCompressSync }),
  toCoding('/zstd', 'zstd', { flag: 'zstd', compress: zstdCompressSync }),
  toEndpoint('/image', 'Return an image of a type in Accept', chooseImage, {
    mediaTypes,
    statuses: [200, 406, 415],
  }),
  toEndpoint('/image/:kind=png', 'Return an image', renderImage, { mediaTypes }),
]

/** httpbin leaves out the last line break of its files. */
function toPage(path: string, name: string, others?: Partial<DialectEndpoint>): DialectEndpoint {
  const text = String(readAsset(name))
  const render = ({ prefix, dialect }: DialectRequest) => {
    const page = text.replace('{prefix}', prefix)
    return renderOwnPage(dialect.isPython ? page.replace(/\n$/, '') : page)
  }
  return toEndpoint(path, `Return ${name}`, render, others)
}

function toJson(
  path: string,
  summary: string,
  toValue: () => unknown,
  others?: Partial<DialectEndpoint>,
): DialectEndpoint {
  return toEndpoint(path, summary, (request) => renderJson(request, toValue()), others)
}

interface Coding {
  /** The member that is true. */
  flag: string
  compress: (bytes: Buffer) => Buffer
}

function toCoding(path: string, coding: string, { flag, compress }: Coding): DialectEndpoint {
  const summary = `Respond with content in the ${coding} coding, whatever Accept-Encoding has`
  return toEndpoint(path, summary, (request) => {
    const { isPython, jsonStyle, jsonType } = request.dialect
    const members = toRequestMembers(request, { hasMethod: true }).set(flag, true)
    if (!isPython) members.set('url', '')
    else for (const member of ['args', 'url']) members.delete(member)
    const body = compress(Buffer.from(toPrettyJson(members, jsonStyle)))
    return {
      headers: [
        ['Content-Type', jsonType],
        ['Content-Encoding', coding],
      ],
      body,
    }
  })
}

function listVariables() {
  const own = Object.entries(process.env).filter(([name]) => name.startsWith('HTTPBIN_ENV_'))
  return { env: own.length === 0 ? null : Object.fromEntries(own) }
}

function renderPlain({ dialect }: DialectRequest, body: string): VisitorResponse {
  const type = dialect.isPython ? 'text/plain' : 'text/plain; charset=utf-8'
  return { headers: [['Content-Type', type]], body }
}

function renderXml({ dialect }: DialectRequest): VisitorResponse {
  const body = dialect.isPython
    ? xml.replace('<slideshow\n', '<slideshow \n').replace(/\n$/, '')
    : xml
  return { headers: [['Content-Type', 'application/xml']], body }
}

function encode(request: DialectRequest, value: string): VisitorResponse {
  return renderConverted(request, Buffer.from(toUrlBase64(Buffer.from(value))))
}

function decode(request: DialectRequest, value: string): VisitorResponse {
  return request.dialect.isPython
    ? renderText(
        request,
        decodePython(value) ?? 'Incorrect Base64 data try: SFRUUEJJTiBpcyBhd2Vzb21l',
      )
    : renderConverted(request, decodeGo(value))
}

function renderConverted({ query, dialect }: DialectRequest, bytes: Buffer): VisitorResponse {
  const type = findValue(query, 'content-type') || dialect.textType
  const body = Buffer.from(toSafeText(bytes.toString('latin1'), [type]), 'latin1')
  return { headers: [['Content-Type', type]], body }
}

/** As Python decodes it: other characters are ignored. Undefined if it is invalid. */
function decodePython(value: string): Buffer | undefined {
  const [, digits = '', padding = ''] =
    /^([^=]*)(=*)/.exec(value.replaceAll(/[^\w+/=-]/g, '').replaceAll('_', '/')) ?? []
  const bytes = Buffer.from(digits, 'base64')
  const needed = (4 - (digits.length % 4)) % 4
  return needed < 3 && padding.length >= needed && isUtf8(bytes) ? bytes : undefined
}

/** Throws 400. */
function decodeGo(value: string): Buffer {
  const plain = value.replaceAll(/[\r\n]/g, '')
  for (const alphabet of [String.raw`\w-`, String.raw`A-Za-z\d+/`]) {
    const group = `[${alphabet}]`
    const format = new RegExp(`^(${group}{4})*(${group}{2}==|${group}{3}=)?$`)
    if (format.test(plain)) return Buffer.from(plain, 'base64')
  }
  const end = plain.search(/[^A-Za-z\d+/]/)
  const index = end === -1 ? plain.length - (plain.length % 4) : end
  throw badRequest(`base64 decode failed: illegal base64 data at input byte ${String(index)}`)
}

/** Throws 400 or 404. */
function parseLinkCount({ isPython, parseInteger }: Dialect, text: string): number {
  const count = parseInteger(text, 'link count')
  if (isPython || (count >= 0 && count <= 256)) return count
  throw badRequest(`invalid link count: ${String(count)} must be in range [0, 256]`)
}

function redirectToLinks(request: DialectRequest, text: string): VisitorResponse {
  const { dialect, prefix, target } = request
  const count = parseLinkCount(dialect, text)
  const query = dialect.isPython ? '' : target.replace(/^[^?]*/, '')
  return renderRedirect(request, `${prefix}/links/${String(count)}/0${query}`)
}

function renderLinks({ dialect, prefix }: DialectRequest, text: string, offsetText: string) {
  const { isPython, parseInteger } = dialect
  const given = parseLinkCount(dialect, text)
  const offset = parseInteger(offsetText, 'offset')
  const count = isPython ? Math.min(Math.max(given, 1), 200) : given
  const quote = isPython ? "'" : '"'
  const links = Array.from({ length: count }, (_, index) => {
    const url = `${quote}${prefix}/links/${String(count)}/${String(index)}${quote}`
    return index === offset ? `${String(index)} ` : `<a href=${url}>${String(index)}</a> `
  })
  const start = '<html><head><title>Links</title></head><body>'
  return renderOwnPage(`${start}${links.join('')}</body></html>`)
}

function renderImage({ dialect }: DialectRequest, kind: string): VisitorResponse {
  const body = images.get(kind)
  if (body) return { headers: [['Content-Type', toImageType(kind)]], body }
  throw notFound(dialect.isPython ? dialect.missing : '')
}

function chooseImage(request: DialectRequest): VisitorResponse {
  const { isPython } = request.dialect
  const sent = findHeader(request.headers, 'accept')
  const accept = isPython ? sent?.toLowerCase() : sent
  const accepts = (kind: string) =>
    accept?.includes(toImageType(kind)) || (kind === 'png' && accept?.includes('image/*'))
  // One type of Accept is enough. go-httpbin looks for PNG first.
  const kind = (isPython ? kinds : ['png', ...kinds]).find(accepts)
  if (kind !== undefined) return renderImage(request, kind)
  if (accept === undefined || (accept === '' && !isPython)) return renderImage(request, 'png')
  if (isPython) return renderStatus(request, 406)
  throw new HttpError(415, '')
}
