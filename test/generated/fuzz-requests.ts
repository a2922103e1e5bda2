import fc from 'fast-check'
import { body, field, formType, parameters, path, toFieldText, typed } from './fuzz-parts.ts'

export interface FuzzRequest {
  method: string
  target: string
  fields: readonly string[]
  /** As UTF-8. */
  content: string | undefined
}

const methods = ['GET', 'GET', 'HEAD', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
const anything: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.constantFrom(...methods),
    path,
    query: fc.option(parameters),
    fields: fc.array(field, { maxLength: 4 }),
    body: fc.option(body),
  })
  .map(({ method, path: at, query, fields, body: sent }) => ({
    method,
    target: query === null ? at : `${at}?${query}`,
    fields: sent?.type ? [...fields, `Content-Type: ${toFieldText(sent.type)}`] : fields,
    content: sent?.content,
  }))

const storable = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
const known = fc.constantFrom('one', 'two', 'three')
const user = fc.record({ name: storable, password: fc.constant('secret') })
const place = fc.record({
  name: storable,
  latitude: fc.double({ min: -91, max: 91, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  note: storable,
})
const file = fc.tuple(storable, storable).map(([name, content]) => ({
  type: 'multipart/form-data; boundary=b',
  content: [
    '--b',
    `Content-Disposition: form-data; name="upfiles"; filename="${name.replace(/["\r\n]/g, '')}"`,
    '',
    `${content}\r\n--b--\r\n`,
  ].join('\r\n'),
}))

/** Mostly valid requests, so that many records are stored, changed and shown. */
const sensible: fc.Arbitrary<FuzzRequest> = fc
  .record({
    route: fc.oneof(
      fc.record({
        method: fc.constantFrom('PUT', 'PATCH'),
        target: known.map((name) => `/locations/${name}`),
        sent: typed(
          'application/json',
          place.map((value) => JSON.stringify(value)),
        ),
      }),
      fc.record({
        method: fc.constantFrom('PUT', 'PATCH'),
        target: known.map((name) => `/users/${name}`),
        sent: typed(
          'application/json',
          user.map((value) => JSON.stringify(value)),
        ),
      }),
      fc.record({
        method: fc.constant('POST'),
        target: fc.constantFrom('/locations', '/users', '/login', '/mirror/field', '/users/post'),
        sent: typed(
          formType,
          place.map((value) =>
            new URLSearchParams(
              Object.entries(value).map(([name, text]) => [name, String(text)]),
            ).toString(),
          ),
        ),
      }),
      fc.record({ method: fc.constant('POST'), target: fc.constant('/profile'), sent: file }),
      fc.record({
        method: fc.constantFrom('GET', 'HEAD', 'DELETE'),
        target: known.chain((name) =>
          fc.constantFrom(`/locations/${name}`, `/users/${name}`, `/users/${name}/edit`),
        ),
        sent: fc.constant(undefined),
      }),
      fc.record({
        method: fc.constantFrom('GET', 'HEAD'),
        target: fc.constantFrom('/locations', '/users', '/uploads', '/session', '/topic.html'),
        sent: fc.constant(undefined),
      }),
    ),
    fields: fc.array(field, { maxLength: 2 }),
  })
  .map(({ route: { method, target, sent }, fields }) => ({
    method,
    target,
    fields: sent === undefined ? fields : [...fields, `Content-Type: ${sent.type}`],
    content: sent?.content,
  }))

export const requests: fc.Arbitrary<FuzzRequest> = fc.oneof(anything, sensible)

/** The bytes as sent, one character each, with the framing of the body. */
export function asMessage({ method, target, fields, content }: FuzzRequest): string {
  const bytes = content === undefined ? '' : Buffer.from(content).toString('latin1')
  const length = content === undefined ? [] : [`Content-Length: ${String(bytes.length)}`]
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    ...fields,
    ...length,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${bytes}`
}

/** The same in chunks of random sizes. */
export const chunkedMessages = fc
  .tuple(requests, fc.integer({ min: 1, max: 50 }))
  .map(([request, size]) => {
    const { content = '', ...rest } = request
    const bytes = Buffer.from(content).toString('latin1')
    const fields = [...rest.fields, 'Transfer-Encoding: chunked']
    const head = asMessage({ ...rest, fields, content: undefined })
    // An endless list of chunks shows nothing new.
    const pieces = bytes.slice(0, 2000).match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? []
    const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    return `${head}${chunks.join('')}0\r\n\r\n`
  })

/** A message in which some bytes are changed, left out or put in. */
export const mutated = fc
  .tuple(
    fc.oneof(requests, sensible).map(asMessage),
    fc.array(
      fc.record({
        at: fc.nat({ max: 399 }),
        remove: fc.integer({ min: 0, max: 2 }),
        insert: fc.oneof(
          fc.string({ maxLength: 2 }),
          fc.string({ unit: 'binary-ascii', maxLength: 2 }),
        ),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  )
  .map(([message, changes]) =>
    changes.reduce((text, { at, remove, insert }) => {
      // Mostly in the head, where every byte means something.
      const index = at % text.length
      return text.slice(0, index) + insert + text.slice(index + remove)
    }, message),
  )
