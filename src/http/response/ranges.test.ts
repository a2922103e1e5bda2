import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseRange } from './send-bytes.ts'

type Expected = [start: number, end: number] | 'unsatisfiable' | 'ignored'

// RFC 9110 §14.1.2, its examples of 10,000 bytes first
const rows: [field: string, size: number, expected: Expected][] = [
  ['bytes=0-499', 10_000, [0, 499]],
  ['bytes=500-999', 10_000, [500, 999]],
  ['bytes=-500', 10_000, [9500, 9999]],
  ['bytes=9500-', 10_000, [9500, 9999]],
  ['bytes=0-0', 10, [0, 0]],
  ['bytes=9-9', 10, [9, 9]],
  ['bytes=0-', 10, [0, 9]],
  ['bytes=0-9', 10, [0, 9]],
  ['bytes=0-10', 10, [0, 9]],
  ['bytes=8-99', 10, [8, 9]],
  ['bytes=-1', 10, [9, 9]],
  ['bytes=-10', 10, [0, 9]],
  ['bytes=-11', 10, [0, 9]],
  ['bytes=007-008', 10, [7, 8]],
  [`bytes=0-${'9'.repeat(400)}`, 10, [0, 9]],
  [`bytes=-${'9'.repeat(400)}`, 10, [0, 9]],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-20', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=0-0', 0, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 10, 'unsatisfiable'],
  // The name of a unit is case-insensitive (§14.1); an unknown one is ignored (§14.2).
  ['BYTES=2-4', 10, [2, 4]],
  ['lines=2-4', 10, 'ignored'],
  ['none=2-4', 10, 'ignored'],
  // Last before first makes it invalid, and an invalid one may be ignored.
  ['bytes=4-2', 10, 'ignored'],
  ['bytes=20-15', 10, 'ignored'],
  ['bytes=-', 10, 'ignored'],
  ['bytes=', 10, 'ignored'],
  ['bytes', 10, 'ignored'],
  ['', 10, 'ignored'],
  ['2-4', 10, 'ignored'],
  ['bytes:2-4', 10, 'ignored'],
  ['bytes = 2-4', 10, 'ignored'],
  ['bytes=2 - 4', 10, 'ignored'],
  ['bytes=+2-4', 10, 'ignored'],
  ['bytes=--2', 10, 'ignored'],
  ['bytes=2-4-6', 10, 'ignored'],
  ['bytes=2.0-4', 10, 'ignored'],
  ['bytes=0x2-4', 10, 'ignored'],
  ['bytes=1e0-4', 10, 'ignored'],
  ['bytes=٢-4', 10, 'ignored'],
  ['bytes=2-4\n', 10, 'ignored'],
  // The response to several ranges may be the whole (§14.2).
  ['bytes=0-1,4-5', 10, 'ignored'],
  ['bytes=0-0,-1', 10, 'ignored'],
]

function parse(field: string | undefined, size: number): Expected {
  const range = parseRange(field, size)
  if (range === undefined) return 'ignored'
  return range === 'unsatisfiable' ? range : [range.start, range.end]
}

for (const [field, size, expected] of rows) {
  const shown = field.length > 40 ? `${field.slice(0, 40)}…` : field
  test(`${JSON.stringify(shown)} of ${String(size)} bytes is ${String(expected)}`, () => {
    assert.deepEqual(parse(field, size), expected)
  })
}

test('no field requests no range', () => {
  assert.equal(parse(undefined, 10), 'ignored')
})

const size = fc.oneof(fc.nat(20), fc.maxSafeNat())
const place = fc.oneof(
  fc.constant(''),
  fc.nat(20).map(String),
  fc.bigInt(0n, 10n ** 30n).map(String),
)
const field = fc.oneof(
  fc.tuple(place, place).map(([first, last]) => `bytes=${first}-${last}`),
  fc.string().map((text) => `bytes=${text}`),
  fc.string(),
)

test('a range is always within the size, and never empty', () => {
  fc.assert(
    fc.property(field, size, (text, bytes) => {
      const range = parseRange(text, bytes)
      if (range === undefined || range === 'unsatisfiable') return
      const { start, end } = range
      assert.ok(Number.isSafeInteger(start) && Number.isSafeInteger(end))
      assert.ok(0 <= start && start <= end && end < bytes, `${String(start)}-${String(end)}`)
    }),
    { numRuns: 2000 },
  )
})

test('every satisfiable range is returned as requested', () => {
  fc.assert(
    fc.property(fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000)), ([start, more, rest]) => {
      const end = start + more
      const expected = [start, end]
      assert.deepEqual(parse(`bytes=${String(start)}-${String(end)}`, end + rest + 1), expected)
      assert.deepEqual(parse(`bytes=${String(start)}-`, end + 1), expected)
      assert.deepEqual(parse(`bytes=-${String(more + 1)}`, end + 1), expected)
    }),
  )
})
