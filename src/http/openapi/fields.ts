import { toComponent } from './component.ts'
import type { Header, Parameter } from './operation.ts'

const text = { type: 'string' } as const

function responseHeader(
  name: string,
  definition: Omit<Header, 'schema'> & { schema?: Header['schema'] },
) {
  return toComponent('headers', name.replaceAll('-', ''), { schema: text, ...definition })
}

function requestHeader(
  name: string,
  description: string,
  more: Partial<Pick<Parameter, 'schema' | 'example'>>,
) {
  const definition: Parameter = { name, in: 'header', description, schema: text, ...more }
  return toComponent('parameters', name.replaceAll('-', ''), definition)
}

/** Response headers that several routes have. */
export const responseHeaders = {
  etag: responseHeader('ETag', {
    description: 'The validator of this representation.',
    example: '"1-mi8t2k00-json"',
  }),
  lastModified: responseHeader('Last-Modified', {
    description: 'The time of the last change.',
    example: 'Sat, 21 Nov 2026 08:20:41 GMT',
  }),
  location: responseHeader('Location', {
    description: 'The URL of the created resource, or of the redirect.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
    example: '/users/01a1fd31-7d3a-7638-817f-35783eb23000',
  }),
  contentLocation: responseHeader('Content-Location', {
    description: 'The URL of the representation.',
    schema: { type: 'string', format: 'uri-reference' },
  }),
  contentRange: responseHeader('Content-Range', {
    description: 'The range that was sent, and the complete length.',
    required: true,
    example: 'bytes 0-14/1024',
  }),
  acceptRanges: responseHeader('Accept-Ranges', {
    description: 'The unit of Range.',
    example: 'bytes',
  }),
  allow: responseHeader('Allow', { description: 'The supported methods.', required: true }),
  acceptPatch: responseHeader('Accept-Patch', {
    description: 'The media types that PATCH accepts.',
  }),
  acceptPost: responseHeader('Accept-Post', { description: 'The media types that POST accepts.' }),
  acceptQuery: responseHeader('Accept-Query', {
    description: 'The media types that QUERY accepts (RFC 10008).',
    required: true,
  }),
  link: responseHeader('Link', {
    description: 'The first, previous, next and last page (RFC 8288).',
  }),
  totalCount: responseHeader('X-Total-Count', {
    description: 'The number of records on all pages.',
    example: '42',
  }),
  retryAfter: responseHeader('Retry-After', {
    description: 'The number of seconds after which to retry.',
    required: true,
    example: '1',
  }),
  preferenceApplied: responseHeader('Preference-Applied', {
    description: 'The preference that was applied (RFC 7240).',
    example: 'return=minimal',
  }),
  idempotencyReplayed: responseHeader('Idempotency-Replayed', {
    description: 'Set when this is the stored response of an earlier request with the same key.',
    example: 'true',
  }),
  setCookie: responseHeader('Set-Cookie', { description: 'Sets or deletes the session cookie.' }),
  flash: responseHeader('Set-Cookie', {
    description: 'Sets or deletes the message that the next page shows once.',
  }),
  authenticate: responseHeader('WWW-Authenticate', {
    description: 'How to authenticate.',
    required: true,
    example: 'Cookie realm="Vitrine"',
  }),
  reprDigest: responseHeader('Repr-Digest', {
    description: 'The digest that Want-Repr-Digest requested (RFC 9530).',
  }),
} as const

/** A string of Structured Fields, or a token. */
const keyText = {
  type: 'string',
  pattern: '^("[ !#-\\[\\]-~]{1,255}"|[!#-+\\--:<-~]{1,255})$',
} as const

/** Request headers of several routes. OpenAPI ignores a parameter named Accept. */
export const requestHeaders = {
  ifMatch: requestHeader('If-Match', 'Apply the request only if the ETag matches.', {
    example: '*',
  }),
  ifNoneMatch: requestHeader('If-None-Match', 'Apply the request only if no ETag matches.', {
    example: '"none"',
  }),
  ifModifiedSince: requestHeader(
    'If-Modified-Since',
    'Send the representation only if it has changed since.',
    {
      example: 'Sat, 21 Nov 2026 08:20:41 GMT',
    },
  ),
  ifUnmodifiedSince: requestHeader(
    'If-Unmodified-Since',
    'Apply the request only if the resource has not changed since.',
    {
      example: 'Thu, 31 Dec 2099 23:59:59 GMT',
    },
  ),
  range: requestHeader('Range', 'Send only these bytes.', { example: 'bytes=0-14' }),
  ifRange: requestHeader('If-Range', 'Apply Range only if the ETag matches.', {
    example: '"none"',
  }),
  prefer: requestHeader(
    'Prefer',
    '`return=minimal`: no content. `return=representation`: the record. `handling=strict`: unknown fields are an error (RFC 7240).',
    { example: 'handling=lenient' },
  ),
  wantReprDigest: requestHeader(
    'Want-Repr-Digest',
    'Requests the digest of the response (RFC 9530).',
    { example: 'sha-256=5' },
  ),
  idempotencyKey: requestHeader(
    'Idempotency-Key',
    'A repeated request with the same key gets the stored response and has no further effect.',
    { schema: keyText },
  ),
} as const
