import fc from 'fast-check'
import { codePoints } from '../support/code-points.ts'
import { words } from '../support/words.ts'

const nasty = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'length',
  '_method',
  '_id',
  '_if_match',
  '%00',
  '%',
  '%2F',
  '%ff',
  '..',
  '.',
  'new',
  'edit',
  'post',
  '1e3',
  '-1',
  '99999999999999999999',
  "';drop table records;--",
  '<script>alert(1)</script>',
  '\u0000',
  '\ud800',
  '\u202e',
  '😀',
  '',
  'null',
  'x'.repeat(300),
)

const word = fc.oneof(
  nasty,
  fc.string({ maxLength: 12 }),
  fc.string({ unit: codePoints, maxLength: 8 }),
)

/** Parts of request targets, some with a wrong encoding. */
const segment = fc.oneof(
  word.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(...'% %2 %zz %ff%fe %00 %2f %5c .. . ;a=1 * :id ~'.split(' ')),
)

const id = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('one', 'two', 'new', 'post') }, segment)

export const path = fc.oneof(
  fc.constantFrom(
    ...words`
      / /users /users/ /users/new /locations /locations/new /login /logout /session /uploads
      /profile /mirror/query /mirror/field /users/post /users/post/raw /users/post/formdata
      /user/create /api/json /api/get_json_with_param /api/post_json_with_param /health
      /topic.html /assets/base.css * //
    `,
  ),
  fc
    .tuple(
      fc.constantFrom(
        ...'/users/ /locations/ /uploads/ /user/ /user /mirror/status/ /api/ /assets/ /'.split(' '),
      ),
      id,
      fc.constantFrom('', '', '/', '/edit', '/edit/', '/more'),
    )
    .map((parts) => parts.join('')),
)

const parameter = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('a', 'a[]', 'a[b]', 'a[0]', 'name', 'page', 'per_page', '_method'),
      segment,
    ),
    fc.array(fc.oneof(fc.constantFrom('[]', '[a]', '[__proto__]', '[100]', '[', ']'), segment), {
      maxLength: 3,
    }),
    fc.oneof(
      fc.constantFrom(...'GET POST PUT DELETE PATCH HEAD OPTION TRACE 1 -1 0'.split(' ')),
      segment,
    ),
  )
  .map(([name, inner, value]) => `${name}${inner.join('')}=${value}`)

export const parameters = fc.array(parameter, { maxLength: 6 }).map((all) => all.join('&'))

const fieldNames = ['name', 'password', 'latitude', 'longitude', 'note', 'username', '_method', 'a']
const jsonValue = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, 0, 91, 1e308, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 3 }),
)
const json = fc.oneof(
  fc
    .dictionary(fc.oneof(fc.constantFrom(...fieldNames), word), jsonValue, { maxKeys: 5 })
    .map((value) => JSON.stringify(value)),
  fc.json({ maxDepth: 4 }),
  fc.constantFrom('{', '[', '"', '1e999', '{"__proto__":{"polluted":1}}', '['.repeat(40_000)),
  word,
)

const boundaries = ['b', 'b b', "'()+_,-./:=?", 'x'.repeat(70), 'x'.repeat(71), '']
const part = fc
  .record({
    name: fc.oneof(fc.constantFrom('upfiles', 'pic', 'a', '__proto__'), word),
    fileName: fc.option(word),
    type: fc.option(fc.oneof(fc.constantFrom('text/html', 'image/svg+xml', 'a', ''), word)),
    encoding: fc.option(fc.constantFrom('base64', 'quoted-printable', '8bit', 'nonsense')),
    content: fc.oneof(word, fc.string({ unit: codePoints, maxLength: 200 })),
  })
  .map(({ name, fileName, type, encoding, content }) =>
    [
      `Content-Disposition: form-data; name="${name}"`,
      fileName === null ? '' : `; filename="${fileName}"`,
      type === null ? '' : `\r\nContent-Type: ${type}`,
      encoding === null ? '' : `\r\nContent-Transfer-Encoding: ${encoding}`,
      `\r\n\r\n${content}`,
    ].join(''),
  )
const multipart = fc
  .record({
    boundary: fc.constantFrom(...boundaries),
    parts: fc.array(part, { maxLength: 4 }),
    before: fc.constantFrom('', '\r\n', 'preamble\r\n'),
    after: fc.constantFrom('--\r\n', '--', '', '\r\n', '--\r\nepilogue'),
  })
  .map(({ boundary, parts, before, after }) => ({
    type: `multipart/form-data; boundary="${boundary}"`,
    content: `${before}${parts.map((text) => `--${boundary}\r\n${text}\r\n`).join('')}--${boundary}${after}`,
  }))

export const typed = (type: string, contents: fc.Arbitrary<string>) =>
  contents.map((content) => ({ type, content }))

export const formType = 'application/x-www-form-urlencoded'
export const body = fc.oneof(
  typed('application/json', json),
  typed(formType, parameters),
  typed(formType, fc.string({ unit: codePoints, maxLength: 60 })),
  typed('text/plain', word),
  multipart,
  fc.record({
    type: fc.oneof(
      fc.constantFrom(
        '',
        ';',
        'application/json;',
        ' application/json',
        'multipart/form-data',
        'a/b+json',
      ),
      fc.string({ maxLength: 20 }),
    ),
    content: fc.oneof(json, parameters, word),
  }),
)

const fieldValue = fc.oneof(
  fc.constantFrom(...'* */* text/html application/json text/plain;q=0 text/csv x,,;q'.split(' ')),
  fc.constantFrom(
    ...'"a" W/"a" bytes=0-1 bytes=-5 bytes=9-1 return=minimal handling=strict'.split(' '),
  ),
  fc.constantFrom(
    ...'PUT DELETE HEAD null same-origin cross-site gzip session=x http://x'.split(' '),
  ),
  fc.string({ maxLength: 30 }),
)
const namedField = fc
  .tuple(
    fc.constantFrom(
      ...['Accept', 'Accept', 'Accept-Encoding', 'Accept-Language', 'Prefer', 'Range', 'If-Match'],
      ...'If-None-Match If-Modified-Since If-Unmodified-Since If-Range Origin Referer'.split(' '),
      ...['Sec-Fetch-Site', 'User-Agent', 'Cookie', 'Content-Encoding', 'X-HTTP-Method-Override'],
      ...['Idempotency-Key', 'X-Forwarded-For', 'Forwarded', 'Purpose', '__proto__', 'constructor'],
    ),
    fieldValue,
  )
  .map(([name, value]) => `${name}: ${toFieldText(value)}`)
export const field = fc.oneof(
  { weight: 9, arbitrary: namedField },
  fc.constant('Expect: 100-continue'),
)

export function toFieldText(text: string): string {
  return text.replace(/[^\t -~]/g, '?')
}
