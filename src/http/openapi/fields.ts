import { toComponent } from './component.ts'
import type { Header, Parameter } from './operation.ts'

const text = { type: 'string' } as const

function field(name: string, definition: Omit<Header, 'schema'> & { schema?: Header['schema'] }) {
  return toComponent('headers', name.replaceAll('-', ''), { schema: text, ...definition })
}

function requestField(
  name: string,
  description: string,
  more: Partial<Pick<Parameter, 'schema' | 'example'>>,
) {
  const definition: Parameter = { name, in: 'header', description, schema: text, ...more }
  return toComponent('parameters', name.replaceAll('-', ''), definition)
}

/** Fields of answers that several routes have. Those named `always…` are in each such answer. */
export const responseHeaders = {
  etag: field('ETag', {
    description: 'Tells this state from others.',
    example: '"1-mi8t2k00-json"',
  }),
  lastModified: field('Last-Modified', {
    description: 'When it was changed.',
    example: 'Sat, 21 Nov 2026 08:20:41 GMT',
  }),
  location: field('Location', {
    description: 'Where it is, or where to go on.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
    example: '/users/01a1fd31-7d3a-7638-817f-35783eb23000',
  }),
  contentLocation: field('Content-Location', {
    description: 'The address of what is shown.',
    schema: { type: 'string', format: 'uri-reference' },
  }),
  contentRange: field('Content-Range', {
    description: 'Which bytes these are, and of how many.',
    required: true,
    example: 'bytes 0-14/1024',
  }),
  acceptRanges: field('Accept-Ranges', { description: 'The unit of ranges.', example: 'bytes' }),
  allow: field('Allow', { description: 'The methods there are.', required: true }),
  acceptPatch: field('Accept-Patch', { description: 'The media types that PATCH takes.' }),
  acceptPost: field('Accept-Post', { description: 'The media types that POST takes.' }),
  acceptQuery: field('Accept-Query', {
    description: 'The media types that QUERY takes (RFC 10008).',
    required: true,
  }),
  link: field('Link', { description: 'The first, previous, next and last page (RFC 8288).' }),
  totalCount: field('X-Total-Count', {
    description: 'How many records the list has on all pages.',
    example: '42',
  }),
  retryAfter: field('Retry-After', {
    description: 'After so many seconds it may go better.',
    required: true,
    example: '1',
  }),
  preferenceApplied: field('Preference-Applied', {
    description: 'Which preference was followed (RFC 7240).',
    example: 'return=minimal',
  }),
  idempotencyReplayed: field('Idempotency-Replayed', {
    description: 'Says that this is the answer that the key got before.',
    example: 'true',
  }),
  setCookie: field('Set-Cookie', { description: 'The session, or its end.' }),
  flash: field('Set-Cookie', { description: 'What a page says once, or its end.' }),
  authenticate: field('WWW-Authenticate', {
    description: 'How to say who you are.',
    required: true,
    example: 'Cookie realm="Vitrine"',
  }),
  reprDigest: field('Repr-Digest', {
    description: 'The digest, where it was asked for (RFC 9530).',
  }),
} as const

/** A string of Structured Fields, or a bare word. */
const keyText = {
  type: 'string',
  pattern: '^("[ !#-\\[\\]-~]{1,255}"|[!#-+\\--:<-~]{1,255})$',
} as const

/** Fields of requests that several routes heed. Accept is not among them: OpenAPI derives it. */
export const requestHeaders = {
  ifMatch: requestField('If-Match', 'Only if it is still in this state.', { example: '*' }),
  ifNoneMatch: requestField('If-None-Match', 'Only if it is in none of these states.', {
    example: '"none"',
  }),
  ifModifiedSince: requestField('If-Modified-Since', 'Only if it has changed since.', {
    example: 'Sat, 21 Nov 2026 08:20:41 GMT',
  }),
  ifUnmodifiedSince: requestField('If-Unmodified-Since', 'Only if it has not changed since.', {
    example: 'Thu, 31 Dec 2099 23:59:59 GMT',
  }),
  range: requestField('Range', 'Only these bytes.', { example: 'bytes=0-14' }),
  ifRange: requestField('If-Range', 'The range only if it is in this state.', {
    example: '"none"',
  }),
  prefer: requestField(
    'Prefer',
    '`return=minimal` for no content, `return=representation` for the record, `handling=strict` to refuse unknown fields (RFC 7240).',
    { example: 'handling=lenient' },
  ),
  wantReprDigest: requestField(
    'Want-Repr-Digest',
    'Asks for the digest of the answer (RFC 9530).',
    { example: 'sha-256=5' },
  ),
  idempotencyKey: requestField(
    'Idempotency-Key',
    'The same request with the same key gets the same answer again, and does nothing again.',
    { schema: keyText },
  ),
} as const
