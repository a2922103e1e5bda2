import fc from 'fast-check'
import { asMessage, type FuzzRequest } from './fuzz-requests.ts'
import { parameters, toFieldText } from './fuzz-parts.ts'

const counts = fc.constantFrom(1, 1, 2, 10, 99, 1000)

/** A short text with many repetitions: backtracking over it takes long. */
const long = (parts: fc.Arbitrary<string>, maxLength: number) =>
  fc
    .tuple(parts, parts, counts)
    .map(([start, again, count]) => `${start}${again.repeat(count)}${start}`.slice(0, maxLength))

const name = fc.constantFrom('a', 'b', 'name', 'note', '_id', '0', '1', '-', '01', '', '~0', '~1')
const hostileName = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  '~',
  '~2',
  '9'.repeat(30),
)
const pointer = fc
  .tuple(fc.array(fc.oneof({ weight: 4, arbitrary: name }, hostileName), { maxLength: 4 }), counts)
  .map(([names, count]) =>
    names
      .map((each) => `/${each}`)
      .join('')
      .repeat(count),
  )

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc
    .tuple(fc.jsonValue({ maxDepth: 1 }), counts)
    .map(([item, count]) => Array<unknown>(count).fill(item)),
  long(fc.constantFrom('a', 'ab', 'é', '😀', '\u2028'), 2000),
  fc.nat({ max: 100_000 }).map((length) => 'x'.repeat(length)),
  counts.map((count) => Object.fromEntries(Array.from({ length: count }, (_, key) => [key, null]))),
)

const operation = fc.record(
  {
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path: pointer,
    from: pointer,
    value,
  },
  { requiredKeys: ['op', 'path'] },
)
const jsonPatch = fc
  .tuple(fc.array(operation, { maxLength: 5 }), fc.constantFrom(1, 1, 5, 20, 100))
  .map(([operations, count]) => Array<typeof operations>(count).fill(operations).flat())

const mergePatch = fc.oneof(
  fc.dictionary(fc.oneof(name, hostileName), value, { maxKeys: 5 }),
  fc.letrec((tie) => ({
    patch: fc.dictionary(name, fc.oneof({ depthSize: 'small' }, fc.constant(null), tie('patch'))),
  })).patch,
  value,
)

const field = fc.constantFrom('name', 'note', 'latitude', '_id', 'createdAt', 'nothing')
const operator = fc.constantFrom('', ':eq', ':ne', ':in', ':lt', ':gte', ':contains', ':startsWith')
const listName = fc.oneof(
  fc
    .tuple(field, fc.oneof(operator, fc.constantFrom(':endsWith', '_like')))
    .map((all) => all.join('')),
  fc.constantFrom('q', 'sort', 'fields', 'page', 'per_page', '_sort', '_order', '_start', '_end'),
)
const listText = fc.oneof(
  long(fc.constantFrom('a', 'ab', 'aab', ',', '-name,', '1', ' ', '%', '😀'), 2100),
  fc.constantFrom('name', '-createdAt', '1', '0', '-1', '1e9', '2026-01-01', '9007199254740993'),
)
const listValue = fc.oneof(
  listText,
  fc.tuple(listText, counts).map(([text, count]) => Array<string>(count).fill(text)),
)
const listQuery = fc.dictionary(listName, listValue, { maxKeys: 12 })

const partHeader = fc
  .tuple(
    fc.constantFrom('Content-Disposition', 'Content-Type', 'Content-Transfer-Encoding', 'X'),
    long(
      fc.constantFrom('form-data', '; name="a"', '; filename="b"', '"', '\\', ';', '%', "*=''"),
      9000,
    ),
  )
  .map((pair) => pair.join(': '))
const part = fc
  .tuple(
    fc.constantFrom('upfiles', 'pic', 'a', 'a[b]', 'a[]', '__proto__', 'a[b][c][d][e][f][g]'),
    fc.array(partHeader, { maxLength: 3 }),
    long(fc.constantFrom('a', '\r\n', '--b', '\r\n--', '--b\r\n\r\n', '\0'), 5000),
  )
  .map(([partName, headers, content]) =>
    [
      '--b',
      `Content-Disposition: form-data; name="${partName}"`,
      ...headers,
      '',
      `${content}\r\n`,
    ].join('\r\n'),
  )
const multipart = fc
  .tuple(fc.array(part, { maxLength: 4 }), counts, fc.constantFrom('--b--\r\n', '--b', ''))
  .map(([parts, count, end]) => `${parts.join('').repeat(count).slice(0, 800_000)}${end}`)

const structured = fc
  .tuple(
    fc.constantFrom(
      ...['Idempotency-Key', 'Content-Digest', 'Repr-Digest', 'Want-Content-Digest', 'Prefer'],
      ...['Want-Repr-Digest', 'Accept', 'Accept-Encoding', 'Range', 'If-None-Match', 'If-Match'],
      ...['Cookie', 'Forwarded', 'X-Forwarded-For', 'Traceparent', 'If-Modified-Since', 'Origin'],
    ),
    long(
      fc.constantFrom(
        ...['"a"', '"', '\\', 'a', 'a=1', ';q=0.1', ',', ';', ' ', '\t', '(', '()', '?1', '-1.5'],
        ...['sha-256=:', ':', '=', '*', '*/*', 'text/html', 'W/"a"', 'bytes=', '0-1,', '-', '@1'],
      ),
      12_000,
    ),
  )
  .map(([header, text]) => `${header}: ${toFieldText(text)}`)

function toRequest(method: string, target: string, type: string) {
  return (content: string): FuzzRequest => ({
    method,
    target,
    fields: [`Content-Type: ${type}`],
    // Over the limit it would be another test.
    content: content.length > 900_000 ? '[]' : content,
  })
}

const location = '/locations/one'
const asJson = (values: fc.Arbitrary<unknown>) => values.map((each) => JSON.stringify(each))

/** Requests by what might make them costly. */
export const costlyRequests: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'JSON Patches': asJson(jsonPatch)
    .map(toRequest('PATCH', location, 'application/json-patch+json'))
    .map(asMessage),
  'merge patches': asJson(mergePatch)
    .map(toRequest('PATCH', location, 'application/merge-patch+json'))
    .map(asMessage),
  'queries of lists': asJson(listQuery)
    .map(toRequest('QUERY', '/locations', 'application/json'))
    .map(asMessage),
  'parameters of lists': fc
    .oneof(listQuery.map(toQueryString), parameters)
    .map((query) => ({
      method: 'GET',
      target: `/locations?${query.slice(0, 8000)}`,
      fields: ['Accept: text/html'],
      content: undefined,
    }))
    .map(asMessage),
  'multipart forms': fc
    .tuple(fc.constantFrom('/profile', '/users/post/formdata'), multipart)
    .map(([target, content]) =>
      toRequest('POST', target, 'multipart/form-data; boundary=b')(content),
    )
    .map(asMessage),
  'structured headers': fc
    .tuple(
      fc.constantFrom('GET /locations', 'GET /topic.html', 'POST /mirror/field', 'POST /locations'),
      fc.array(structured, { minLength: 1, maxLength: 3 }),
    )
    .map(([line, fields]) => {
      const [method = '', target = ''] = line.split(' ')
      const isPost = method === 'POST'
      return {
        method,
        target,
        fields: [...(isPost ? ['Content-Type: application/x-www-form-urlencoded'] : []), ...fields],
        content: isPost ? 'name=a&a=b' : undefined,
      }
    })
    .map(asMessage),
}

function toQueryString(query: Readonly<Record<string, string | string[]>>): string {
  const pairs = Object.entries(query).flatMap(([key, values]) =>
    [values].flat().map((each) => [key, each.toWellFormed()]),
  )
  return new URLSearchParams(pairs).toString()
}
