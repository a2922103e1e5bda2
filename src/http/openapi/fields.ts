import { toComponent } from './component.ts'
import type { Header, Parameter } from './operation.ts'

const text = { type: 'string' } as const
const url = { type: 'string', format: 'uri-reference' } as const
const required = true

function header(name: string, description: string, more: Partial<Header> = {}) {
  const definition: Header = { schema: text, description, ...more }
  return toComponent('headers', name.replaceAll('-', ''), definition)
}

export const responseHeaders = {
  etag: header('ETag', 'The validator of this representation.', { example: '"1-mi8t2k00-json"' }),
  lastModified: header('Last-Modified', 'The time of the last change.', {
    example: 'Sat, 21 Nov 2026 08:20:41 GMT',
  }),
  location: header('Location', 'The URL of the created resource, or of the redirect.', {
    required,
    schema: url,
    example: '/users/01a1fd31-7d3a-7638-817f-35783eb23000',
  }),
  contentLocation: header('Content-Location', 'The URL of the representation.', { schema: url }),
  contentRange: header('Content-Range', 'The range that was sent, and the complete length.', {
    required,
    example: 'bytes 0-14/1024',
  }),
  acceptRanges: header('Accept-Ranges', 'The unit of Range.', { example: 'bytes' }),
  allow: header('Allow', 'The supported methods.', { required }),
  acceptPatch: header('Accept-Patch', 'The media types that PATCH accepts.'),
  acceptPost: header('Accept-Post', 'The media types that POST accepts.'),
  acceptQuery: header('Accept-Query', 'The media types that QUERY accepts (RFC 10008).', {
    required,
  }),
  link: header('Link', 'The first, previous, next and last page (RFC 8288).'),
  totalCount: header('X-Total-Count', 'The number of records on all pages.', { example: '42' }),
  retryAfter: header('Retry-After', 'The number of seconds after which to retry.', {
    required,
    example: '1',
  }),
  preferenceApplied: header('Preference-Applied', 'The preference that was applied (RFC 7240).', {
    example: 'return=minimal',
  }),
  idempotencyReplayed: header(
    'Idempotency-Replayed',
    'Set when this is the stored response of an earlier request with the same key.',
    { example: 'true' },
  ),
  setCookie: header('Set-Cookie', 'Sets or deletes the session cookie.'),
  flash: header('Set-Cookie', 'Sets or deletes the message that the next page shows once.'),
  authenticate: header('WWW-Authenticate', 'How to authenticate.', {
    required,
    example: 'Cookie realm="Vitrine"',
  }),
  reprDigest: header('Repr-Digest', 'The digest that Want-Repr-Digest requested (RFC 9530).'),
}

function parameter(name: string, description: string, more: Partial<Parameter>) {
  const definition: Parameter = { name, in: 'header', description, schema: text, ...more }
  return toComponent('parameters', name.replaceAll('-', ''), definition)
}

/** Request headers of several routes. OpenAPI ignores a parameter named Accept. */
export const requestHeaders = {
  ifMatch: parameter('If-Match', 'Apply the request only if the ETag matches.', { example: '*' }),
  ifNoneMatch: parameter('If-None-Match', 'Apply the request only if no ETag matches.', {
    example: '"none"',
  }),
  ifModifiedSince: parameter(
    'If-Modified-Since',
    'Send the representation only if it has changed since.',
    { example: 'Sat, 21 Nov 2026 08:20:41 GMT' },
  ),
  ifUnmodifiedSince: parameter(
    'If-Unmodified-Since',
    'Apply the request only if the resource has not changed since.',
    { example: 'Thu, 31 Dec 2099 23:59:59 GMT' },
  ),
  range: parameter('Range', 'Send only these bytes.', { example: 'bytes=0-14' }),
  ifRange: parameter('If-Range', 'Apply Range only if the ETag matches.', { example: '"none"' }),
  prefer: parameter(
    'Prefer',
    '`return=minimal`: no content. `return=representation`: the record. `handling=strict`: unknown fields are an error (RFC 7240).',
    { example: 'handling=lenient' },
  ),
  wantReprDigest: parameter('Want-Repr-Digest', 'Requests the digest of the response (RFC 9530).', {
    example: 'sha-256=5',
  }),
  idempotencyKey: parameter(
    'Idempotency-Key',
    'A repeated request with the same key gets the stored response and has no further effect.',
    // A string of Structured Fields, or a token.
    { schema: { ...text, pattern: '^("[ !#-\\[\\]-~]{1,255}"|[!#-+\\--:<-~]{1,255})$' } },
  ),
}
