import { maxKeyLength } from '../../config/limits.ts'
import { toComponent, type Reference } from './component.ts'
import { text, url } from './content.ts'
import type { Header, Parameter } from './operation.ts'

const date = 'Sat, 21 Nov 2026 08:20:41 GMT'

type HeaderDefinitions = Readonly<Record<string, readonly [description: string, example?: string]>>

const inResponses = {
  'Accept-Patch': ['The media types that PATCH accepts.'],
  'Accept-Post': ['The media types that POST accepts.'],
  'Accept-Query': ['The media types that QUERY accepts (RFC 10008).'],
  'Accept-Ranges': ['The unit of Range.', 'bytes'],
  Allow: ['The supported methods.'],
  'Content-Location': ['The URL of the representation.'],
  'Content-Range': ['The range and the size.', 'bytes 0-14/1024'],
  ETag: ['The validator of this representation.', '"1-mi8t2k00-json"'],
  'Idempotency-Replayed': ['Set for a stored response to the same key.', 'true'],
  'Last-Modified': ['The time of the last change.', date],
  Link: ['The first, previous, next and last page (RFC 8288). `next` has a cursor.'],
  Location: ['The URL of the created resource, or of the redirect.', '/'],
  'Preference-Applied': ['The applied preference.', 'return=minimal'],
  'Repr-Digest': ['The digest that Want-Repr-Digest requested (RFC 9530).'],
  'Retry-After': ['The seconds after which to retry.', '1'],
  'Set-Cookie': ['Sets or deletes a session, or a one-time message for the next page.'],
  'Upload-Limit': ['The largest file in bytes.', 'max-size=10485760'],
  'Vitrine-Ignored-Fields': ['The fields that were not stored, percent-encoded.', 'colour'],
  'WWW-Authenticate': ['The challenge.', 'Cookie realm="Vitrine"'],
  'X-Total-Count': ['The number of records on all pages.', '42'],
} satisfies HeaderDefinitions

const required = /^(Accept-Query|Allow|Content-Range|Location|Retry-After|WWW-Authenticate)$/

/** OpenAPI ignores a parameter named Accept. */
const inRequests = {
  'Idempotency-Key': ['A repeated request gets the stored response and has no further effect.'],
  'If-Match': ['Apply the request only if the ETag matches.', '*'],
  'If-Modified-Since': ['Send the content only if changed since.', date],
  'If-None-Match': ['Apply the request only if no ETag matches.', '"none"'],
  'If-Range': ['Apply Range only if the ETag matches.', '"none"'],
  'If-Unmodified-Since': [
    'Apply the request only if not changed since.',
    'Thu, 31 Dec 2099 23:59:59 GMT',
  ],
  Prefer: [
    '`return=minimal`: no content. `return=representation`: the record. `handling=strict`: unknown fields are an error (RFC 7240).',
    'handling=lenient',
  ],
  Range: ['Send only these bytes.', 'bytes=0-14'],
  'Want-Repr-Digest': ['Requests a digest (RFC 9530).', 'sha-256=5'],
} satisfies HeaderDefinitions

/** A string of Structured Fields, or a token. */
const length = `{1,${String(maxKeyLength)}}`
const keySchema = { ...text, pattern: `^("[ !#-\\[\\]-~]${length}"|[!#-+\\--:<-~]${length})$` }

const toComponentName = (field: string) => field.replaceAll('-', '')

function toHeader(
  name: string,
  [description, example]: HeaderDefinitions[string],
): readonly [string, Reference<Header>] {
  const schema = name.endsWith('Location') ? url : text
  const header = { description, schema, example, ...(required.test(name) && { required: true }) }
  return [name, toComponent('headers', toComponentName(name), header)]
}

export function responseHeaders(...names: readonly (keyof typeof inResponses)[]) {
  return Object.fromEntries(names.map((name) => toHeader(name, inResponses[name])))
}

/** The documented headers among these names, which are in lower case. */
export function documentHeaders(names: readonly string[]) {
  const all = Object.entries(inResponses).filter(([name]) => names.includes(name.toLowerCase()))
  return Object.fromEntries(all.map(([name, definition]) => toHeader(name, definition)))
}

export function requestHeaders(...names: readonly (keyof typeof inRequests)[]) {
  return names.map((name): Reference<Parameter> => {
    const [description, example]: HeaderDefinitions[string] = inRequests[name]
    const schema = name === 'Idempotency-Key' ? keySchema : text
    const definition = { name, in: 'header', description, schema, example } as const
    return toComponent('parameters', toComponentName(name), definition)
  })
}
