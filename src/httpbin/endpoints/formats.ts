import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isUtf8 } from 'node:buffer'
import { packageFolder } from '../../config/package-folder.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import type { BinRequest, BinResponse } from '../dialect.ts'
import { forOnly, forReads, inGoOnly, toEndpoint, type Endpoint } from '../endpoint.ts'
import { escapeHtml, renderJson, renderOwnPage, renderRedirect, renderText } from '../render.ts'
import { findValue } from '../text.ts'
import { isDangerous } from './headers.ts'
import { face, slideshow } from './sample-documents.ts'

const readAsset = (name: string) =>
  readFileSync(new URL(`src/httpbin/assets/${name}`, packageFolder), 'utf8')

/** httpbin leaves out the last line break of its files. */
const toPage = (path: string, name: string, methods: Endpoint['methods'] = forReads): Endpoint => {
  const text = readAsset(name)
  const summary = `Return ${name}`
  return toEndpoint(
    path,
    summary,
    ({ prefix, dialect }) => {
      const page = text.replace('{prefix}', prefix)
      return renderOwnPage(dialect.isPython ? page.replace(/\n$/, '') : page)
    },
    { methods },
  )
}

const toJsonEndpoint = (path: string, summary: string, toValue: () => object) =>
  toEndpoint(path, summary, (request) => renderJson(request, toValue()), { methods: inGoOnly('*') })

const toBase64Endpoint = (path: string, operation: 'encode' | 'decode'): Endpoint =>
  toEndpoint(
    `${path}/:value`,
    operation === 'encode' ? 'Encode as Base64' : 'Decode Base64',
    (request) => (request.dialect.isPython ? decodePython(request) : convertGo(request, operation)),
    {
      methods: path === '/base64' ? forReads : inGoOnly('*'),
      samples: { value: 'aGk=' },
    },
  )

export const formatEndpoints: readonly Endpoint[] = [
  toPage('/html', 'moby.html'),
  toPage('/encoding/utf8', 'utf8.html', forOnly('GET')),
  toPage('/forms/post', 'form.html', forOnly('GET')),
  toEndpoint('/xml', 'Return an XML document', renderXml, { mediaTypes: ['application/xml'] }),
  toEndpoint('/json', 'Return a JSON document', (request) => renderJson(request, slideshow)),
  toEndpoint('/robots.txt', 'Return rules for robots', (request) =>
    renderPlain(request, 'User-agent: *\nDisallow: /deny\n'),
  ),
  toEndpoint('/deny', 'Return a page that the rules for robots deny', (request) =>
    renderPlain(request, face[request.dialect.name]),
  ),
  toEndpoint('/uuid', 'Return a random UUID', (request) =>
    renderJson(request, { uuid: randomUUID() }),
  ),
  toBase64Endpoint('/base64', 'decode'),
  toBase64Endpoint('/base64/encode', 'encode'),
  toBase64Endpoint('/base64/decode', 'decode'),
  toEndpoint(
    '/base64/:operation/*',
    'Another operation',
    ({ parameters: [operation = ''] }) => {
      throw badRequest(`invalid operation: ${operation}`)
    },
    { methods: inGoOnly('*') },
  ),
  toEndpoint('/links/:count', 'Redirect to the first of several pages', renderLinks, {
    samples: { count: '10' },
    statuses: [302],
  }),
  toEndpoint('/links/:count/:offset', 'Return a page with links', renderLinks, {
    samples: { count: '10', offset: '0' },
  }),
  toJsonEndpoint('/hostname', 'Return a fixed host name', () => ({ hostname: 'go-httpbin' })),
  toJsonEndpoint('/version', 'Return the name of the service', () => ({ service: 'go-httpbin' })),
  toJsonEndpoint('/env', 'Return the variables HTTPBIN_ENV_*', () => {
    const own = Object.entries(process.env).filter(([name]) => name.startsWith('HTTPBIN_ENV_'))
    return { env: own.length === 0 ? null : Object.fromEntries(own) }
  }),
]

function renderPlain({ dialect }: BinRequest, body: string): BinResponse {
  const type = dialect.isPython ? 'text/plain' : 'text/plain; charset=utf-8'
  return { headers: [['Content-Type', type]], body }
}

const xml = readAsset('sample.xml')

function renderXml({ dialect }: BinRequest): BinResponse {
  const body = dialect.isPython
    ? xml.replace('<slideshow\n', '<slideshow \n').replace(/\n$/, '')
    : xml
  return { headers: [['Content-Type', 'application/xml']], body }
}

/** As Python decodes it: other characters are ignored. */
function decodePython(request: BinRequest): BinResponse {
  const [value = ''] = request.parameters
  const [, digits = '', padding = ''] =
    /^([^=]*)(=*)/.exec(value.replaceAll(/[^\w+/=-]/g, '').replaceAll('_', '/')) ?? []
  const bytes = Buffer.from(digits, 'base64')
  const needed = (4 - (digits.length % 4)) % 4
  const isValid = needed < 3 && padding.length >= needed && isUtf8(bytes)
  return renderText(
    request,
    isValid ? bytes : 'Incorrect Base64 data try: SFRUUEJJTiBpcyBhd2Vzb21l',
  )
}

function convertGo(
  { parameters: [value = ''], query, dialect }: BinRequest,
  operation: string,
): BinResponse {
  const bytes = operation === 'encode' ? encodeUrl(value) : decodeGo(value)
  const type = findValue(query, 'content-type') || dialect.textType
  const toSafe = () => Buffer.from(escapeHtml(bytes.toString('latin1')), 'latin1')
  return { headers: [['Content-Type', type]], body: isDangerous([type]) ? toSafe() : bytes }
}

function encodeUrl(value: string): Buffer {
  const text = Buffer.from(value).toString('base64')
  return Buffer.from(text.replaceAll('+', '-').replaceAll('/', '_'))
}

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

function renderLinks(request: BinRequest): BinResponse {
  const { parameters, prefix, target } = request
  const { isPython, parseInteger } = request.dialect
  const given = parseInteger(parameters[0] ?? '', 'link count')
  if (!isPython && (given < 0 || given > 256)) {
    throw badRequest(`invalid link count: ${String(given)} must be in range [0, 256]`)
  }
  const pages = `${prefix}/links/`
  if (parameters[1] === undefined) {
    const query = isPython ? '' : target.replace(/^[^?]*/, '')
    return renderRedirect(request, `${pages}${String(given)}/0${query}`)
  }
  const offset = parseInteger(parameters[1], 'offset')
  const count = isPython ? Math.min(Math.max(given, 1), 200) : given
  const quote = isPython ? "'" : '"'
  const links = Array.from({ length: count }, (_, index) => {
    const url = `${quote}${pages}${String(count)}/${String(index)}${quote}`
    return index === offset ? `${String(index)} ` : `<a href=${url}>${String(index)}</a> `
  })
  const start = '<html><head><title>Links</title></head><body>'
  return renderOwnPage(`${start}${links.join('')}</body></html>`)
}
