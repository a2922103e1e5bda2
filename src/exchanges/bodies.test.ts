import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textBody } from '../../test/support/exchanges.ts'
import { toPrettyBody } from './bodies.ts'

const fields = [['Content-Type', 'application/json']] as const
const deep = '['.repeat(30_000) + ']'.repeat(30_000)

for (const [what, sent, shown] of [
  [
    'empty parts',
    '{"a":[],"b":{},"c":[[ ]]}',
    '{\n  "a": [],\n  "b": {},\n  "c": [\n    []\n  ]\n}',
  ],
  [
    'texts',
    String.raw`{"a\"{,":"\\","b":"\u00e9: ,"}`,
    '{\n  "a\\"{,": "\\\\",\n  "b": "\\u00e9: ,"\n}',
  ],
  [
    'numbers',
    '[12.50,1E2, 12345678901234567890]',
    '[\n  12.50,\n  1E2,\n  12345678901234567890\n]',
  ],
  ['a repeated name', '{"a":1,"a":true}', '{\n  "a": 1,\n  "a": true\n}'],
  ['a scalar', ' "a b" ', '"a b"'],
  ['a body that is not JSON', '{"a": 1,}', '{"a": 1,}'],
  ['a deep body', deep, deep],
] as const) {
  test(`${what} of a JSON body are formatted without a change`, () => {
    assert.equal(toPrettyBody(textBody(sent), fields).text, shown)
  })
}
