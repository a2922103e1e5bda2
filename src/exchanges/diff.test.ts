import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange, textBody } from '../../test/support/exchanges.ts'
import { catalogueApp, useApp } from '../../test/support/test-app.ts'
import { compareLines, toDiff } from './diff.ts'

const sharedApp = useApp({}, catalogueApp)

const marks = { same: ' ', removed: '-', added: '+' }
const show = (one: string, other: string) =>
  compareLines(one.split(''), other.split(''))
    .map(({ kind, text }) => marks[kind] + text)
    .join('')

for (const [one, other, expected] of [
  ['abc', 'abc', ' a b c'],
  ['abc', 'abd', ' a b-c+d'],
  ['abc', 'ac', ' a-b c'],
  ['ac', 'abc', ' a+b c'],
  ['', 'a', '+a'],
  ['a', '', '-a'],
  ['aa', 'a', ' a-a'],
  ['abcdef', 'axcyef', ' a-b+x c-d+y e f'],
  ['abcd', 'dabc', '+d a b c-d'],
] as const) {
  test(`${one || 'nothing'} and ${other || 'nothing'} are compared as ${expected}`, () => {
    assert.equal(show(one, other), expected)
  })
}

for (const [one, other] of [
  [30_000, 30_000],
  [60_000, 10],
  [10, 60_000],
  [16_000, 60],
] as const) {
  test(`${String(one)} and ${String(other)} lines that all differ are compared without a large table`, () => {
    const lines = (length: number, mark: string) =>
      Array.from({ length }, (_, at) => `${mark}${String(at)}`)
    const compared = compareLines(lines(one, 'a'), lines(other, 'b'))
    assert.deepEqual(
      [compared.length, compared[0]?.kind, compared.at(-1)?.kind],
      [one + other, 'removed', 'added'],
    )
  })
}

test('of two exchanges the lines, the headers, and the formatted JSON bodies are compared', () => {
  const json = [['Content-Type', 'application/json']] as const
  const one = exchange({
    requestFields: [
      ['A', '1'],
      ['B', '2'],
    ],
    responseFields: json,
    responseBody: textBody('{"a":1,"b":[1]}'),
  })
  const other = exchange({
    requestFields: [
      ['b', '2'],
      ['a', '1'],
    ],
    responseFields: json,
    responseBody: textBody('{ "a": 2, "b": [1] }'),
  })
  const changed = toDiff(one, other).flatMap(({ name, lines }) =>
    lines.filter(({ kind }) => kind !== 'same').map(({ kind, text }) => [name, marks[kind] + text]),
  )
  assert.deepEqual(changed, [
    ['Request headers', '-A: 1'],
    ['Request headers', '-B: 2'],
    ['Request headers', '+b: 2'],
    ['Request headers', '+a: 1'],
    ['Response body', '-  "a": 1,'],
    ['Response body', '+  "a": 2,'],
  ])
})

const bodies: [what: string, one: string, other: string, changed: string[], note?: string][] = [
  [
    'long numbers',
    '{"id":12345678901234567890}',
    '{"id":12345678901234567891}',
    ['-  "id": 12345678901234567890', '+  "id": 12345678901234567891'],
    'Formatted.',
  ],
  ['fractions', '[12.50]', '[12.5]', ['-  12.50', '+  12.5'], 'Formatted.'],
  ['white space', '{"a":[]}', '{"a": []}', ['-{"a":[]}', '+{"a": []}'], 'The bytes differ.'],
  ['nothing', '{"a":1}', '{"a":1}', []],
]
for (const [what, one, other, changed, note] of bodies) {
  test(`two JSON bodies that differ in ${what} are compared as they were sent`, () => {
    const requestFields = [['Content-Type', 'application/json']] as const
    const toJson = (text: string) => exchange({ requestFields, requestBody: textBody(text) })
    const part = toDiff(toJson(one), toJson(other)).find(({ name }) => name === 'Request body')
    const lines = part?.lines.filter(({ kind }) => kind !== 'same') ?? []
    assert.deepEqual(
      lines.map(({ kind, text }) => marks[kind] + text),
      changed,
    )
    assert.equal(part?.note, note)
  })
}

for (const [query, status] of [
  ['', 400],
  ['?a=1', 400],
  ['?a=1&a=2&b=3', 400],
  ['?a[b]=1&b=2', 400],
  ['?a=1&b=2', 404],
] as const) {
  test(`no exchanges are compared by ${query || 'no ids'}`, async () => {
    const app = sharedApp()
    assert.equal((await app.inject(`/inspector/diff${query}`)).statusCode, status)
  })
}

const always = ['Date', 'X-Request-Id', 'traceparent', 'X-Correlation-ID', 'X-GitHub-Delivery']
const others = ['Webhook-Timestamp', 'webhook-id', 'X-Amzn-Trace-Id', 'CF-Ray']

for (const name of [...always, ...others]) {
  test(`two requests that differ in ${name} alone have no other difference`, () => {
    const toExchange = (value: string) =>
      exchange({
        requestFields: [
          [name, value],
          ['Accept', 'text/html'],
        ],
      })
    const parts = toDiff(toExchange('a'), toExchange('b'))
    const different = parts.filter(({ lines }) => lines.some(({ kind }) => kind !== 'same'))
    assert.deepEqual(
      different.map((part) => [part.name, part.isFolded]),
      [['Request headers that always differ', true]],
    )
  })
}

for (const name of ['Authorization', 'If-Match', 'Idempotency-Key', 'X-User-Id', 'Accept']) {
  test(`two requests that differ in ${name} show it`, () => {
    const toExchange = (value: string) => exchange({ requestFields: [[name, value]] })
    const parts = toDiff(toExchange('a'), toExchange('b'))
    const [part] = parts.filter(({ lines }) => lines.some(({ kind }) => kind !== 'same'))
    assert.deepEqual([part?.name, part?.isFolded], ['Request headers', undefined])
  })
}
