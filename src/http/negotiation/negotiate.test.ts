import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPreferredType } from './negotiate.ts'

const offers = ['text/html', 'application/json', 'text/plain'] as const
type Offer = (typeof offers)[number]

test('the offer that Accept prefers is chosen', () => {
  const rows: [accept: string | undefined, expected: Offer | undefined][] = [
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    [' */* ', 'text/html'],
    ['*/*;q=0.1', 'text/html'],
    ['text/html', 'text/html'],
    ['application/json', 'application/json'],
    ['text/plain', 'text/plain'],
    ['TEXT/Plain', 'text/plain'],
    ['text/*', 'text/html'],
    ['application/*', 'application/json'],
    ['application/json, */*', 'application/json'],
    ['*/*, application/json', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['text/html;q=0.1, application/json;q=0.2', 'application/json'],
    ['text/html;q=0.9, application/json', 'application/json'],
    ['text/html ; q=0.5 , text/plain ; q=0.6', 'text/plain'],
    ['application/json;q=0.001', 'application/json'],
    ['application/json;Q=0.5, text/html;Q=0.4', 'application/json'],
    // An invalid weight (§12.4.2) is ignored.
    ['text/plain;q=abc, text/html;q=0.5', 'text/plain'],
    ['text/plain;q=2, application/json;q=0.9', 'text/plain'],
    ['text/plain;q=-1', 'text/plain'],
    ['text/plain;q=', 'text/plain'],
    ['text/plain;q="0"', 'text/plain'],
    ['text/plain;q=abc;q=0.1, text/html;q=0.5', 'text/html'],
    ['text/plain;q=0.1;x=y, text/html;q=0.5', 'text/html'],
    // Of a range and a type within it, the type has the word (RFC 9110 §12.5.1).
    ['text/*, text/html;q=0', 'text/plain'],
    ['text/*;q=0, text/plain', 'text/plain'],
    ['*/*, text/html;q=0', 'application/json'],
    ['*/*, text/html;q=0, application/json;q=0', 'text/plain'],
    ['text/html;q=0, */*;q=0.1', 'application/json'],
    ['*/*;q=0', undefined],
    ['text/html;q=0', undefined],
    ['text/html;q=0.000', undefined],
    ['image/png', undefined],
    ['image/*', undefined],
    ['application/problem+json', undefined],
    ['nonsense', 'text/html'],
  ]
  for (const [accept, expected] of rows) {
    assert.deepEqual([accept, findPreferredType(accept, offers)], [accept, expected])
  }
})

test('among offers that match one range equally, the first is chosen', () => {
  assert.equal(findPreferredType('text/*', ['text/plain', 'text/html']), 'text/plain')
  assert.equal(findPreferredType('*/*;q=0.3', ['text/plain', 'text/html']), 'text/plain')
})

test('without offers nothing is chosen', () => {
  for (const accept of [undefined, '*/*', 'text/html']) {
    const preferred: string | undefined = findPreferredType<string>(accept, [])
    assert.equal(preferred, undefined)
  }
})

const types = ['text/html', 'text/plain', 'text/csv', 'application/json', 'image/png']
const quality = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000)
const someOffers = fc.uniqueArray(fc.constantFrom(...types), { maxLength: 5 })

test('with any Accept, the choice is one of the offers or nothing', () => {
  const fragment = fc.constantFrom(...'*/* text/* text/html ; , q=0 q=1 " /'.split(' '), ' ')
  const acceptLike = fc.array(fragment, { maxLength: 20 }).map((all) => all.join(''))
  fc.assert(
    fc.property(fc.oneof(acceptLike, fc.string()), someOffers, (accept, offered) => {
      const chosen = findPreferredType(accept, offered)
      assert.ok(chosen === undefined || offered.includes(chosen))
    }),
    { numRuns: 1000 },
  )
})

test('the chosen offer has the highest quality of all, and never 0', () => {
  const ranges = fc.constantFrom('*/*', 'text/*', 'application/*', 'image/*', ...types)
  const table = fc.uniqueArray(fc.tuple(ranges, quality), {
    selector: ([range]) => range,
    minLength: 1,
  })
  fc.assert(
    fc.property(table, someOffers, (accepted, offered) => {
      const qualities = new Map(accepted)
      // The most specific range that matches has the quality.
      const toQuality = (type: string) =>
        qualities.get(type) ??
        qualities.get(type.replace(/\/.*/, '/*')) ??
        qualities.get('*/*') ??
        0
      const accept = accepted.map(([range, q]) => `${range};q=${String(q)}`).join(', ')
      const chosen = findPreferredType(accept, offered)
      const best = Math.max(0, ...offered.map(toQuality))
      assert.equal(chosen === undefined ? 0 : toQuality(chosen), best, accept)
      assert.equal(chosen === undefined, best === 0, accept)
    }),
    { numRuns: 1000 },
  )
})
