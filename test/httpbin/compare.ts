// Compares generated requests with a running service:
// node test/httpbin/compare.ts <count> <seed> <port of the service> <port of this one>
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { codePoints } from '../support/code-points.ts'
import { exchange, type Row } from './exchange.ts'

const [count = 1000, seed = 1, theirs = 0, ours = 0] = process.argv.slice(2).map(Number)

const special = fc.constantFrom(
  ...'%20 %C3%A9 %ff %e2%82 %2F %3F %26 %3D %2B + % ; " \' < > \\ [ ] { } ~ = & / : @ ! $ , * ( ) %25 %zz %00 %0a %F0%9F%98%80'.split(
    ' ',
  ),
)
const letters = fc.stringMatching(/^[a-zA-Z0-9_-]{1,5}$/)
const text = fc.array(fc.oneof(letters, special), { maxLength: 5 }).map((parts) => parts.join(''))
/** Without what the other services reject or redirect. */
const pathText = text.map((one) =>
  one.replaceAll(/%(?![\da-f]{2})|%ff|%e2%82|%2f|%0a|%00|\//gi, '_'),
)
const query = fc
  .array(fc.tuple(text, fc.option(text)), { maxLength: 4 })
  .map((pairs) =>
    pairs.map(([name, value]) => (value === null ? name : `${name}=${value}`)).join('&'),
  )

const path = fc.oneof(
  fc.constantFrom(
    ...'/get /post /put /patch /delete /headers /ip /user-agent /anything /cookies /cookies/set /cookies/delete /response-headers /bearer /upload /xml /json /deny'.split(
      ' ',
    ),
  ),
  letters.map((part) => `/anything/${part}`),
  pathText.map((part) => `/anything/a${part}`),
  pathText.map((part) => `/base64/a${part}`),
  fc.base64String({ maxLength: 20 }).map((part) => `/base64/${part}`),
  fc.integer({ min: 200, max: 599 }).map((code) => `/status/${String(code)}`),
  pathText.map((part) => `/status/${part}`),
  fc.integer({ min: 1, max: 30 }).map((n) => `/redirect/${String(n)}`),
  fc.tuple(letters, letters).map(([user, password]) => `/basic-auth/${user}/${password}`),
  fc.integer({ min: 0, max: 20 }).map((n) => `/links/${String(n)}/${String(n >> 1)}`),
  letters.map((tag) => `/etag/${tag}`),
)

const value = fc.stringMatching(/^[ -~]{1,12}$/).map((one) => one.trim())
const header = fc.oneof(
  fc.tuple(fc.stringMatching(/^[Xx]-[a-zA-Z0-9-]{1,8}$/), value),
  fc.tuple(
    fc.constantFrom('Cookie'),
    fc
      .array(fc.tuple(letters, value), { minLength: 1, maxLength: 3 })
      .map((all) => all.map((one) => one.join('=')).join('; ')),
  ),
  fc.tuple(
    fc.constantFrom(
      'Authorization',
      'If-None-Match',
      'If-Match',
      'User-Agent',
      'Origin',
      'X-Forwarded-For',
      'X-Forwarded-Proto',
      'Via',
    ),
    value,
  ),
  fc.tuple(
    fc.constant('Authorization'),
    value.map((one) => `Basic ${btoa(one)}`),
  ),
)

const types = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
  'TEXT/PLAIN; x=y',
]
const request = fc.record({
  method: fc.constantFrom(
    'GET',
    'GET',
    'GET',
    'POST',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
  ),
  path,
  query,
  headers: fc.uniqueArray(header, { maxLength: 3, selector: ([name]) => name.toLowerCase() }),
  type: fc.option(fc.constantFrom(...types)),
  body: fc.option(fc.oneof(fc.json(), query, fc.string({ unit: codePoints, maxLength: 20 }))),
})

let different = 0
const property = fc.asyncProperty(request, async ({ method, path, query, headers, type, body }) => {
  const target = query === '' ? path : `${path}?${query}`
  const lines = headers.map(([name, one]) => `${name}: ${one}`)
  const typed = type === null || body === null ? lines : [...lines, `Content-Type: ${type}`]
  const row: Row = {
    line: `${method} ${target.replaceAll(/[ #]/g, '')}`,
    headers: typed,
    body: body ?? '',
  }
  const expected = await exchange(theirs, row).catch(() => ({ status: 500, headers: {}, body: '' }))
  const actual = await exchange(ours, row)
  try {
    assert.deepEqual(actual, expected)
  } catch (error) {
    // Where the other service fails, there is nothing to compare.
    const isGoMessage = /error parsing request body: (invalid character|unexpected)/.test(
      expected.body,
    )
    if (expected.status >= 500 || (isGoMessage && actual.status === 400)) return
    different += 1
    console.log(JSON.stringify(row), error instanceof Error ? error.message.slice(0, 1500) : '')
  }
})
await fc.assert(property, { numRuns: count, seed })
console.log(`${String(different)} of ${String(count)} differ`)
