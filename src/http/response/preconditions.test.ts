import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testConditions, isRangeFresh } from './preconditions.ts'

const strong = '"a"'
const weak = 'W/"a"'
const time = 'Sun, 09 Sep 2001 01:46:40 GMT'
const before = 'Sun, 09 Sep 2001 01:46:39 GMT'
const after = 'Sun, 09 Sep 2001 01:46:41 GMT'
// Half a second later than the date that the client received.
const lastModified = new Date(1e12 + 500)

type Fields = Record<string, string>

function toTitle(fields: Fields, etag: string): string {
  return `${JSON.stringify(fields)} of ${etag}`
}

const rows: [fields: Fields, etag: string, expected: 'proceed' | 'not modified' | 'failed'][] = [
  [{}, strong, 'proceed'],
  // RFC 9110 §13.1.1: If-Match compares strongly.
  [{ 'if-match': '"a"' }, strong, 'proceed'],
  [{ 'if-match': '"b", "a"' }, strong, 'proceed'],
  [{ 'if-match': '"b","a"' }, strong, 'proceed'],
  [{ 'if-match': '*' }, strong, 'proceed'],
  [{ 'if-match': '*' }, weak, 'proceed'],
  [{ 'if-match': '"b"' }, strong, 'failed'],
  [{ 'if-match': 'W/"a"' }, strong, 'failed'],
  [{ 'if-match': 'W/"a"' }, weak, 'failed'],
  [{ 'if-match': '"a"' }, weak, 'failed'],
  [{ 'if-match': '"A"' }, strong, 'failed'],
  [{ 'if-match': 'a' }, strong, 'failed'],
  [{ 'if-match': '' }, strong, 'failed'],
  [{ 'if-match': '"b, "a", c"' }, strong, 'failed'],
  // §13.1.2: If-None-Match compares weakly.
  [{ 'if-none-match': '"a"' }, strong, 'not modified'],
  [{ 'if-none-match': 'W/"a"' }, strong, 'not modified'],
  [{ 'if-none-match': '"a"' }, weak, 'not modified'],
  [{ 'if-none-match': 'W/"a"' }, weak, 'not modified'],
  [{ 'if-none-match': '"b", W/"a"' }, strong, 'not modified'],
  [{ 'if-none-match': '*' }, strong, 'not modified'],
  [{ 'if-none-match': '"b"' }, strong, 'proceed'],
  [{ 'if-none-match': '' }, strong, 'proceed'],
  [{ 'if-none-match': 'w/"a"' }, '"b"', 'proceed'],
  // A comma belongs to a tag that holds it.
  [{ 'if-none-match': '"b,c", "d"' }, '"b,c"', 'not modified'],
  [{ 'if-none-match': '"b,c"' }, '"c"', 'proceed'],
  // §13.1.3: If-Modified-Since
  [{ 'if-modified-since': time }, strong, 'not modified'],
  [{ 'if-modified-since': after }, strong, 'not modified'],
  [{ 'if-modified-since': before }, strong, 'proceed'],
  [{ 'if-modified-since': 'Sunday, 09-Sep-01 01:46:40 GMT' }, strong, 'not modified'],
  [{ 'if-modified-since': 'Sun Sep  9 01:46:40 2001' }, strong, 'not modified'],
  [{ 'if-modified-since': 'Sun Sep  9 01:46:39 2001' }, strong, 'proceed'],
  [{ 'if-modified-since': '2030-01-01T00:00:00Z' }, strong, 'proceed'],
  [{ 'if-modified-since': 'tomorrow' }, strong, 'proceed'],
  [{ 'if-modified-since': '' }, strong, 'proceed'],
  [{ 'if-modified-since': `${time}, ${time}` }, strong, 'proceed'],
  // §13.1.4: If-Unmodified-Since
  [{ 'if-unmodified-since': time }, strong, 'proceed'],
  [{ 'if-unmodified-since': after }, strong, 'proceed'],
  [{ 'if-unmodified-since': before }, strong, 'failed'],
  [{ 'if-unmodified-since': 'yesterday' }, strong, 'proceed'],
  // §13.2.2: one before the other
  [{ 'if-match': '"a"', 'if-unmodified-since': before }, strong, 'proceed'],
  [{ 'if-match': '"b"', 'if-unmodified-since': after }, strong, 'failed'],
  [{ 'if-match': '"b"', 'if-none-match': '"a"' }, strong, 'failed'],
  [{ 'if-match': '"a"', 'if-none-match': '"a"' }, strong, 'not modified'],
  [{ 'if-match': '"a"', 'if-none-match': '"b"' }, strong, 'proceed'],
  [{ 'if-none-match': '"b"', 'if-modified-since': time }, strong, 'proceed'],
  [{ 'if-none-match': '"a"', 'if-modified-since': before }, strong, 'not modified'],
  [{ 'if-unmodified-since': before, 'if-none-match': '"a"' }, strong, 'failed'],
  [{ 'if-unmodified-since': time, 'if-none-match': '"a"' }, strong, 'not modified'],
  [{ 'if-unmodified-since': time, 'if-modified-since': time }, strong, 'not modified'],
]

for (const [fields, etag, expected] of rows) {
  test(`${toTitle(fields, etag)}: ${expected}`, () => {
    assert.equal(testConditions({ headers: fields }, { etag, lastModified }), expected)
  })
}

// §13.1.5: If-Range compares strongly, and a date exactly.
const ranges: [fields: Fields, etag: string, expected: boolean][] = [
  [{}, strong, true],
  [{ 'if-range': '"a"' }, strong, true],
  [{ 'if-range': '"b"' }, strong, false],
  [{ 'if-range': 'W/"a"' }, strong, false],
  [{ 'if-range': 'W/"a"' }, weak, false],
  [{ 'if-range': '"a"' }, weak, false],
  [{ 'if-range': '"a", "b"' }, strong, false],
  [{ 'if-range': '*' }, strong, false],
  [{ 'if-range': time }, strong, true],
  [{ 'if-range': before }, strong, false],
  [{ 'if-range': after }, strong, false],
  [{ 'if-range': 'yesterday' }, strong, false],
  [{ 'if-range': '' }, strong, false],
]

for (const [fields, etag, expected] of ranges) {
  test(`${toTitle(fields, etag)}: the range is ${expected ? 'sent' : 'ignored'}`, () => {
    assert.equal(isRangeFresh(fields, { etag, lastModified }), expected)
  })
}

const opaque = fc.stringMatching(/^[!#-~]{0,12}$/)

test('a list of tags matches exactly when it contains the tag', () => {
  fc.assert(
    fc.property(opaque, fc.array(opaque, { maxLength: 5 }), (tag, others) => {
      const etag = `"${tag}"`
      const list = others.map((other) => `"${other}"`).join(', ')
      const isListed = others.includes(tag)
      const validators = { etag, lastModified }
      const ifNone = testConditions({ headers: { 'if-none-match': list } }, validators)
      assert.equal(ifNone, isListed ? 'not modified' : 'proceed')
      const ifMatch = testConditions({ headers: { 'if-match': list } }, validators)
      assert.equal(ifMatch, isListed ? 'proceed' : 'failed')
    }),
  )
})

test('any text in these fields is evaluated without an error', () => {
  const text = fc.option(fc.string(), { nil: undefined })
  const fields = fc.record({
    'if-match': text,
    'if-none-match': text,
    'if-modified-since': text,
    'if-unmodified-since': text,
    'if-range': text,
  })
  fc.assert(
    fc.property(fields, (headers) => {
      const outcome = testConditions({ headers }, { etag: strong, lastModified })
      assert.ok(['proceed', 'not modified', 'failed'].includes(outcome))
      assert.equal(typeof isRangeFresh(headers, { etag: strong, lastModified }), 'boolean')
    }),
  )
})

test('a year of two digits is at most 50 years ahead (RFC 9110 §5.6.7)', async (t) => {
  const lastModified = new Date()
  for (const [ahead, expected] of [
    [1, 'not modified'],
    [49, 'not modified'],
    [52, 'proceed'],
    [75, 'proceed'],
    [99, 'proceed'],
  ] as const) {
    await t.test(expected, () => {
      const year = String((lastModified.getUTCFullYear() + ahead) % 100).padStart(2, '0')
      const fields = { 'if-modified-since': `Monday, 01-Feb-${year} 00:00:00 GMT` }
      assert.equal(
        testConditions({ headers: fields }, { etag: strong, lastModified }),
        expected,
        year,
      )
    })
  }
})
