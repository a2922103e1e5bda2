import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePoints } from '../../../test/support/code-points.ts'
import { decodeUtf8, parseParameters, parameterToText } from './parameters.ts'
import { HttpError } from '../errors/http-error.ts'

/** With the ordinary prototypes again, as `deepEqual` compares those too. */
const limits = { maxParameters: 200 }
const read = (text: string) => parseParameters(text, limits)
const parse = (text: string): unknown => JSON.parse(JSON.stringify(read(text)))

const isBadRequest = (error: unknown) => error instanceof HttpError && error.status === 400

const join = (count: number, toPair: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => toPair(index)).join('&')

test('names, lists and nested keys are parsed', () => {
  const rows: [text: string, expected: unknown][] = [
    ['', {}],
    ['a=1', { a: '1' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a=1=2', { a: '1=2' }],
    ['&&a=1&', { a: '1' }],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a[]=1', { a: ['1'] }],
    ['a[0]=1&a[1]=2', { a: ['1', '2'] }],
    ['a[1]=2&a[0]=1', { a: ['1', '2'] }],
    ['a=1&a[]=2', { a: ['1', '2'] }],
    ['a[b]=1', { a: { b: '1' } }],
    ['a[b][c]=1&a[b][d]=2', { a: { b: { c: '1', d: '2' } } }],
    ['a[b][]=1&a[b][]=2', { a: { b: ['1', '2'] } }],
    ['a[b]=1&a[b]=2', { a: { b: ['1', '2'] } }],
    ['a%5Bb%5D=1', { a: { b: '1' } }],
    ['a.b=1', { 'a.b': '1' }],
    ['a=1,2', { a: '1,2' }],
    ['a=1;b=2', { a: '1;b=2' }],
    ['a[99]=1', { a: ['1'] }],
    ['a[100]=1', { a: { 100: '1' } }],
    ['qty[1534]=2', { qty: { 1534: '2' } }],
    ['qty%5B1534%5D=2&qty[7]=1', { qty: { 1534: '2', 7: '1' } }],
    ['a[0]=x&a[150]=y', { a: { 0: 'x', 150: 'y' } }],
    ['a[150]=y&a[]=x', { a: { 0: 'x', 150: 'y' } }],
    ['a[]=x&a[200]=y', { a: { 0: 'x', 200: 'y' } }],
    ['a[b][1534][c]=1', { a: { b: { 1534: { c: '1' } } } }],
    ['a[1534][]=1&a[1534][]=2', { a: { 1534: ['1', '2'] } }],
    ['a[1534]=1&a[b]=2', { a: { 1534: '1', b: '2' } }],
    ['a[9007199254740993]=1', { a: { '9007199254740993': '1' } }],
    ['hasOwnProperty=1&toString[x]=2', { hasOwnProperty: '1', toString: { x: '2' } }],
  ]
  for (const [text, expected] of rows) assert.deepEqual([text, parse(text)], [text, expected])
})

test('text is decoded as UTF-8 and plus as a space', () => {
  const rows: [text: string, expected: unknown][] = [
    ['a=%C3%A9', { a: 'é' }],
    ['a=%F0%9F%94%8D', { a: '🔍' }],
    ['a=é', { a: 'é' }],
    ['a=+b+', { a: ' b ' }],
    ['a=%2B', { a: '+' }],
    ['a+b=1', { 'a b': '1' }],
    ['a=%26%3D', { a: '&=' }],
    ['a=%', { a: '%' }],
    ['a=%zz%4', { a: '%zz%4' }],
    ['a=%26%239786%3B', { a: '&#9786;' }],
  ]
  for (const [text, expected] of rows) assert.deepEqual([text, parse(text)], [text, expected])
})

test('bytes that are not UTF-8 get 400, in names, keys and values', async (t) => {
  for (const bytes of ['%ff', '%C3', '%C0%80', '%ED%A0%80', '%F5%80%80%80', '%80']) {
    for (const text of [`a=${bytes}`, `${bytes}=1`, `a[${bytes}]=1`, `a=1&a=${bytes}`]) {
      await t.test(`${bytes} ${text}`, () => {
        assert.throws(() => read(text), isBadRequest, text)
      })
    }
  }
})

test('a query string at a limit is parsed whole, and one over it gets 400', async (t) => {
  const values = (count: number) => ({ a: Array.from({ length: count }, () => 'v') })
  const rows: [atLimit: string, expected: unknown, over: string][] = [
    ['a[b][c][d][e][f]=1', { a: { b: { c: { d: { e: { f: '1' } } } } } }, 'a[b][c][d][e][f][g]=1'],
    [
      join(200, (index) => `k${String(index)}=v`),
      Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${String(index)}`, 'v'])),
      join(201, (index) => `k${String(index)}=v`),
    ],
    [join(100, () => 'a=v'), values(100), join(101, () => 'a=v')],
    [join(100, () => 'a[]=v'), values(100), join(101, () => 'a[]=v')],
    [
      join(100, (index) => `a[${String(index)}]=v`),
      values(100),
      join(101, (index) => `a[${String(index)}]=v`),
    ],
    [
      `a[]=v&${join(99, () => 'a=v')}`,
      values(100),
      `${join(50, () => 'a[]=v')}&${join(51, () => 'a=v')}`,
    ],
    [
      join(150, (index) => `a[${String(1000 + index)}]=v`),
      { a: Object.fromEntries(Array.from({ length: 150 }, (_, index) => [1000 + index, 'v'])) },
      `a[1000]=v&${join(101, () => 'a[]=v')}`,
    ],
    [join(100, () => 'b[a]=v'), { b: values(100) }, join(101, () => 'b[a]=v')],
    [join(100, () => 'b[a][]=v'), { b: values(100) }, join(101, () => 'b[a][]=v')],
  ]
  for (const [atLimit, expected, over] of rows) {
    await t.test(`${atLimit} ${over}`, () => {
      assert.deepEqual(parse(atLimit), expected)
      assert.throws(() => read(over), isBadRequest, over.slice(0, 60))
    })
  }
})

test('a parameter without a name is parsed or rejected, not dropped', async (t) => {
  // URL Standard, application/x-www-form-urlencoded parsing: the name is the empty string.
  for (const text of ['=value', 'a=1&=value']) {
    await t.test(text, () => {
      try {
        assert.match(JSON.stringify(read(text)), /value/)
      } catch (error) {
        if (!isBadRequest(error)) throw error
      }
    })
  }
})

for (const start of [
  '__proto__',
  'a[__proto__]',
  'a[b][__proto__]',
  '%5f_proto__',
  'a[0][__proto__',
]) {
  for (const text of [start, `${start}=1`, `${start}[x]=1`, `${start}[]=1`, `a=1&${start}[x]=1`]) {
    test(`${text} gets 400`, () => {
      assert.throws(() => read(text), isBadRequest)
      assert.throws(() => read(text.replaceAll('[', '%5B').replaceAll(']', '%5d')), isBadRequest)
    })
  }
}

test('no key changes a prototype', async (t) => {
  const before = Object.getOwnPropertyNames(Object.prototype)
  for (const start of ['constructor[prototype]', 'a[constructor][prototype]', '__proto__.a']) {
    for (const end of ['[polluted]=1', '=1', '[]=1']) {
      await t.test(`${start}${end}`, () => {
        assert.equal(Object.getPrototypeOf(read(start + end)), null)
        assert.equal('polluted' in {}, false)
        assert.equal('polluted' in [], false)
      })
    }
  }
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before)
})

/** Text in which everything that means something to a query string is likely. */
const piece = fc.constantFrom(...'a b [ ] [] [0] [b] = & + % %5B %5D'.split(' '))
const rare = fc.constantFrom(...'%ff %00 __proto__ constructor prototype . ; é 9'.split(' '))
const queryLike = fc
  .array(fc.oneof(piece, piece, rare), { maxLength: 60 })
  .map((all) => all.join(''))

test('any text is parsed or rejected with 400, and changes no prototype', () => {
  const before = Object.getOwnPropertyNames(Object.prototype)
  fc.assert(
    fc.property(fc.oneof(queryLike, fc.string({ unit: codePoints, maxLength: 200 })), (text) => {
      try {
        JSON.stringify(read(text))
      } catch (error) {
        assert.ok(isBadRequest(error), String(error))
      }
      assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before)
      assert.equal(Object.getPrototypeOf({}), Object.prototype)
    }),
    { numRuns: 2000 },
  )
})

const wellFormed = fc.string({ unit: 'grapheme', maxLength: 20 })
const flatName = wellFormed.filter(
  (name) => name !== '' && name !== '__proto__' && !/[[\]]/.test(name),
)

test('encoded flat names and values are parsed unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(flatName, wellFormed, { maxKeys: 200 }), (values) => {
      const encode = encodeURIComponent
      const pairs = Object.entries(values).map(
        ([name, value]) => `${encode(name)}=${encode(value)}`,
      )
      assert.deepEqual({ ...read(pairs.join('&')) }, { ...values })
      assert.deepEqual({ ...read(new URLSearchParams(values).toString()) }, { ...values })
    }),
  )
})

test('below the limits no value is lost, however its key is nested', () => {
  const segment = fc.constantFrom('', '0', '1', '7', '150', '1534', 'a', 'b', 'length', 'toString')
  const key = fc
    .tuple(fc.constantFrom('a', 'b', '0'), fc.array(segment, { maxLength: 5 }))
    .map(([root, segments]) => root + segments.map((name) => `[${name}]`).join(''))
  fc.assert(
    fc.property(fc.array(key, { maxLength: 20 }), (keys) => {
      const pairs = keys.map((name, index) => `${name}=<${String(index)}>`)
      const seen = JSON.stringify(read(pairs.join('&')))
      const lost = pairs.filter((_, index) => !seen.includes(`<${String(index)}>`))
      assert.deepEqual(lost, [], `${pairs.join('&')} → ${seen}`)
    }),
    { numRuns: 2000 },
  )
})

test('a value is shown as text, and a nested one as JSON', () => {
  const rows: [value: unknown, expected: string][] = [
    [undefined, ''],
    ['', ''],
    ['glass', 'glass'],
    [['bike', 'car'], 'bike, car'],
    [[], ''],
    [{ b: '1' }, '{"b":"1"}'],
    [['a', { b: '1' }], 'a, {"b":"1"}'],
    [1, '1'],
    [null, 'null'],
    [false, 'false'],
  ]
  for (const [value, expected] of rows) assert.equal(parameterToText(value), expected)
})

test('exactly the bytes that are valid UTF-8 are decoded', () => {
  fc.assert(
    fc.property(wellFormed, (text) => {
      assert.equal(decodeUtf8(Buffer.from(text)), text)
    }),
  )
  assert.throws(() => decodeUtf8(Buffer.from([0x61, 0xff])), isBadRequest)
})
