import { toComponent, type Reference } from './component.ts'
import { text, url } from './content.ts'
import type { Header, Parameter } from './operation.ts'

const required = true
const challengeExample = 'Cookie realm="Vitrine"'
const date = 'Sat, 21 Nov 2026 08:20:41 GMT'

type Definitions = Readonly<Record<string, Partial<Header> & Pick<Header, 'description'>>>

const inResponses = {
  'Accept-Patch': { description: 'The media types that PATCH accepts.' },
  'Accept-Post': { description: 'The media types that POST accepts.' },
  'Accept-Query': { description: 'The media types that QUERY accepts (RFC 10008).', required },
  'Accept-Ranges': { description: 'The unit of Range.', example: 'bytes' },
  Allow: { description: 'The supported methods.', required },
  'Content-Location': { description: 'The URL of the representation.', schema: url },
  'Content-Range': { description: 'The range and the size.', required, example: 'bytes 0-14/1024' },
  ETag: { description: 'The validator of this representation.', example: '"1-mi8t2k00-json"' },
  'Idempotency-Replayed': {
    description: 'Set for a stored response to the same key.',
    example: 'true',
  },
  'Last-Modified': { description: 'The time of the last change.', example: date },
  Link: { description: 'The first, previous, next and last page (RFC 8288). `next` has a cursor.' },
  Location: {
    description: 'The URL of the created resource, or of the redirect.',
    required,
    schema: url,
    example: '/',
  },
  'Preference-Applied': { description: 'The applied preference.', example: 'return=minimal' },
  'Repr-Digest': { description: 'The digest that Want-Repr-Digest requested (RFC 9530).' },
  'Retry-After': { description: 'The seconds after which to retry.', required, example: '1' },
  'Set-Cookie': {
    description: 'Sets or deletes a session, or a one-time message for the next page.',
  },
  'Upload-Limit': {
    description: 'The largest file in bytes, for example `max-size=10485760`.',
    example: 'max-size=10485760',
  },
  'Vitrine-Ignored-Fields': {
    description: 'The fields of the body that were not stored, percent-encoded.',
    example: 'colour',
  },
  'WWW-Authenticate': { description: 'The challenge.', required, example: challengeExample },
  'X-Total-Count': { description: 'The number of records on all pages.', example: '42' },
} satisfies Definitions

/** OpenAPI ignores a parameter named Accept. */
const inRequests = {
  'Idempotency-Key': {
    description: 'A repeated request gets the stored response and has no further effect.',
    // A string of Structured Fields, or a token.
    schema: { ...text, pattern: '^("[ !#-\\[\\]-~]{1,255}"|[!#-+\\--:<-~]{1,255})$' },
  },
  'If-Match': { description: 'Apply the request only if the ETag matches.', example: '*' },
  'If-Modified-Since': { description: 'Send the content only if changed since.', example: date },
  'If-None-Match': { description: 'Apply the request only if no ETag matches.', example: '"none"' },
  'If-Range': { description: 'Apply Range only if the ETag matches.', example: '"none"' },
  'If-Unmodified-Since': {
    description: 'Apply the request only if the resource has not changed since.',
    example: 'Thu, 31 Dec 2099 23:59:59 GMT',
  },
  Prefer: {
    description:
      '`return=minimal`: no content. `return=representation`: the record. `handling=strict`: unknown fields are an error (RFC 7240).',
    example: 'handling=lenient',
  },
  Range: { description: 'Send only these bytes.', example: 'bytes=0-14' },
  'Want-Repr-Digest': { description: 'Requests a digest (RFC 9530).', example: 'sha-256=5' },
} satisfies Definitions

const toComponentName = (field: string) => field.replaceAll('-', '')

export function responseHeaders(...names: readonly (keyof typeof inResponses)[]) {
  const toHeader = (name: keyof typeof inResponses): Reference<Header> =>
    toComponent('headers', toComponentName(name), { schema: text, ...inResponses[name] })
  return Object.fromEntries(names.map((name) => [name, toHeader(name)]))
}

export function requestHeaders(...names: readonly (keyof typeof inRequests)[]) {
  return names.map((name): Reference<Parameter> => {
    const definition = { name, in: 'header', schema: text, ...inRequests[name] } as const
    return toComponent('parameters', toComponentName(name), definition)
  })
}
