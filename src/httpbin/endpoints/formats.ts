import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { badRequest, HttpError, notFound } from '../../http/errors/http-error.ts'
import type { DialectRequest } from '../dialect.ts'
import { forOnly, inGoOnly, toEndpoint, type DialectEndpoint } from '../endpoint.ts'
import { toPrettyJson } from '../json.ts'
import {
  addHeaders,
  readAsset,
  renderAs,
  renderJson,
  renderOwnPage,
  renderRedirect,
  toRequestMembers,
} from '../render.ts'
import { findHeader, findFirst, toUrlBase64 } from '../text.ts'
import { toSafeText } from './headers.ts'
import { statusToResponse } from './status.ts'

const xmlType = 'application/xml'
const xml = String(readAsset('sample.xml'))
const slideshow: unknown = JSON.parse(String(readAsset('sample.json')))
const face = String(readAsset('deny.txt'))

const kinds = ['webp', 'svg', 'jpeg', 'png']
const toImageType = (kind: string) => `image/${kind === 'svg' ? 'svg+xml' : kind}`
const images = new Map(kinds.map((kind) => [kind, readAsset(`image.${kind}`)]))
const mediaTypes = kinds.map(toImageType)

const negotiated = { mediaTypes, statuses: [200, 406, 415] }

const anyInGo = { methods: inGoOnly('*') }

export const formatEndpoints = [
  toPage('/html', 'moby.html'),
  toPage('/encoding/utf8', 'utf8.html', { methods: forOnly('GET') }),
  toPage('/forms/post', 'form.html', { methods: forOnly('GET') }),
  toEndpoint('/xml', 'Return an XML document', { mediaTypes: [xmlType] }, ({ dialect }) => {
    const changed = xml.replace('<slideshow\n', '<slideshow \n').replace(/\n$/, '')
    return renderAs(xmlType, dialect.isPython ? changed : xml)
  }),
  toEndpoint('/json', 'Return a JSON document', (request) => renderJson(request, slideshow)),
  toEndpoint('/robots.txt', 'Return rules for robots', (request) =>
    renderPlain(request, 'User-agent: *\nDisallow: /deny\n'),
  ),
  toEndpoint('/deny', 'Return a page that the rules for robots deny', (request) =>
    renderPlain(request, request.dialect.isPython ? face : "YOU SHOULDN'T BE HERE"),
  ),
  toEndpoint('/uuid', 'Return a random UUID', (request) =>
    renderJson(request, { uuid: randomUUID() }),
  ),
  toEndpoint('/base64/:value=aGk=', 'Decode Base64', decode),
  toEndpoint('/base64/:operation=encode/:value=aGk', 'Encode or decode Base64', anyInGo, convert),
  toEndpoint(
    '/links/:count=10',
    'Redirect to the first of several pages',
    { statuses: [302] },
    (request, text) => {
      const count = parseLinkCount(request, text)
      const { isPython } = request.dialect
      const query = isPython ? '' : request.target.replace(/^[^?]*/, '')
      const shown = isPython ? String(count) : text
      return renderRedirect(request, `${request.prefix}/links/${shown}/0${query}`)
    },
  ),
  toEndpoint('/links/:count=10/:offset=0', 'Return a page with links', renderLinks),
  toEndpoint('/hostname', 'Return a fixed host name', anyInGo, (request) =>
    renderJson(request, { hostname: 'go-httpbin' }),
  ),
  toEndpoint('/version', 'Return the name of the service', anyInGo, (request) =>
    renderJson(request, { service: 'go-httpbin' }),
  ),
  toEndpoint('/env', 'Return the variables HTTPBIN_ENV_*', anyInGo, (request) => {
    const own = Object.entries(process.env).filter(([name]) => name.startsWith('HTTPBIN_ENV_'))
    return renderJson(request, { env: own.length === 0 ? null : Object.fromEntries(own) })
  }),
  toCoding('/gzip', 'gzip', { flag: 'gzipped', compress: gzipSync }),
  toCoding('/deflate', 'deflate', { flag: 'deflated', compress: deflateSync }),
  toCoding('/brotli', 'br', { flag: 'brotli', compress: brotliCompressSync }),
  toCoding('/zstd', 'zstd', { flag: 'zstd', compress: zstdCompressSync }),
  toEndpoint('/image', 'Return an image of a type in Accept', negotiated, chooseImage),
  toEndpoint('/image/:kind=png', 'Return an image', { mediaTypes }, renderImage),
]

/** httpbin leaves out the last line break of its files. */
function toPage(path: string, name: string, others: Partial<DialectEndpoint> = {}) {
  const text = String(readAsset(name))
  return toEndpoint(path, `Return ${name}`, others, ({ prefix, dialect }) => {
    const page = text.replace('{prefix}', prefix)
    return renderOwnPage(dialect.isPython ? page.replace(/\n$/, '') : page)
  })
}

interface FormatCoding {
  flag: string
  compress: (bytes: Buffer) => Buffer
}

function toCoding(path: string, coding: string, { flag, compress }: FormatCoding): DialectEndpoint {
  const summary = `Respond with content in the ${coding} coding, whatever Accept-Encoding has`
  return toEndpoint(path, summary, (request) => {
    const { isPython, jsonStyle, jsonType } = request.dialect
    const members = toRequestMembers(request, { hasMethod: true }).set(flag, true)
    if (!isPython) members.set('url', '')
    else for (const member of ['args', 'url']) members.delete(member)
    const body = compress(Buffer.from(toPrettyJson(members, jsonStyle)))
    const response = { ...renderAs(jsonType, body), size: body.length }
    return addHeaders(response, ['Content-Encoding', coding])
  })
}

function renderPlain({ dialect }: DialectRequest, body: string) {
  return renderAs(dialect.isPython ? 'text/plain' : dialect.textType, body)
}

function convert(request: DialectRequest, operation: string, value: string) {
  const { maxBodyBytes: max } = request.config
  if (Buffer.byteLength(value) > max) {
    throw badRequest(`input data exceeds max length of ${String(max)}`)
  }
  if (operation === 'decode') return renderConverted(request, decodeGo(value))
  if (operation !== 'encode') throw badRequest(`invalid operation: ${operation}`)
  return renderConverted(request, Buffer.from(toUrlBase64(Buffer.from(value))))
}

function decode(request: DialectRequest, value: string) {
  const { isPython, textType } = request.dialect
  if (!isPython) return convert(request, 'decode', value)
  const hint = 'Incorrect Base64 data try: SFRUUEJJTiBpcyBhd2Vzb21l'
  return renderAs(textType, decodePython(value) ?? hint)
}

function renderConverted({ query, dialect }: DialectRequest, bytes: Buffer) {
  const type = findFirst(query, 'content-type') || dialect.textType
  return renderAs(type, Buffer.from(toSafeText(bytes.toString('latin1'), [type]), 'latin1'))
}

/** Python ignores other characters. Returns undefined for an invalid value. */
function decodePython(value: string): Buffer | undefined {
  const [, digits = '', padding = ''] =
    /^([^=]*)(=*)/.exec(value.replaceAll(/[^\w+/=-]/g, '').replaceAll('_', '/')) ?? []
  const bytes = Buffer.from(digits, 'base64')
  const needed = (4 - (digits.length % 4)) % 4
  return needed < 3 && padding.length >= needed && isUtf8(bytes) ? bytes : undefined
}

const base64Formats = [
  /^([\w-]{4})*([\w-]{2}==|[\w-]{3}=)?$/,
  /^([A-Za-z\d+/]{4})*([A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/,
]

function decodeGo(value: string): Buffer {
  const plain = value.replaceAll(/[\r\n]/g, '')
  if (base64Formats.some((format) => format.test(plain))) return Buffer.from(plain, 'base64')
  const end = plain.search(/[^A-Za-z\d+/]/)
  const index = end === -1 ? plain.length - (plain.length % 4) : end
  throw badRequest(`base64 decode failed: illegal base64 data at input byte ${String(index)}`)
}

function parseLinkCount({ dialect }: DialectRequest, text: string): number {
  const { isPython, parseInteger } = dialect
  const count = parseInteger(text, 'link count')
  if (isPython || (count >= 0 && count <= 256)) return count
  throw badRequest(`invalid link count: ${String(count)} must be in range [0, 256]`)
}

function renderLinks(request: DialectRequest, text: string, offsetText: string) {
  const { dialect, prefix } = request
  const { isPython, parseInteger } = dialect
  const given = parseLinkCount(request, text)
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

function renderImage({ dialect }: DialectRequest, kind: string) {
  const body = images.get(kind)
  if (body) return renderAs(toImageType(kind), body)
  throw notFound(dialect.isPython ? dialect.missing : '')
}

function chooseImage(request: DialectRequest) {
  const { isPython } = request.dialect
  const sent = findHeader(request.headers, 'accept')
  const accept = isPython ? sent?.toLowerCase() : sent
  const accepts = (kind: string) =>
    accept?.includes(toImageType(kind)) || (kind === 'png' && accept?.includes('image/*'))
  // One type of Accept is enough. go-httpbin looks for PNG first.
  const kind = (isPython ? kinds : ['png', ...kinds]).find(accepts)
  if (kind !== undefined) return renderImage(request, kind)
  if (accept === undefined || (accept === '' && !isPython)) return renderImage(request, 'png')
  if (isPython) return statusToResponse(request, 406)
  throw new HttpError(415, '')
}
