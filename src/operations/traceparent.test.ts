import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTraceparent } from './log.ts'

const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

test('a traceparent is parsed as Trace Context specifies', () => {
  const known = { traceId: trace, parentId: parent }
  const rows: [text: string, found: object | undefined][] = [
    [`00-${trace}-${parent}-00`, known],
    [`00-${trace}-${parent}-ff`, known],
    [`cc-${trace}-${parent}-01`, known],
    [`cc-${trace}-${parent}-01-what-the-future-brings`, known],
    [`cc-${trace}-${parent}-01.what`, undefined],
    [`00-${trace}-${parent}-01-more`, undefined],
    [`00-${trace}-${parent}-01-`, undefined],
    [`ff-${trace}-${parent}-01`, undefined],
    [`00-${'0'.repeat(32)}-${parent}-01`, undefined],
    [`00-${trace}-${'0'.repeat(16)}-01`, undefined],
    [`00-${trace.toUpperCase()}-${parent}-01`, undefined],
    [`00-${trace}-${parent}-0`, undefined],
    [`00-${trace}-${parent}`, undefined],
    [`00-${trace.slice(1)}-${parent}-01`, undefined],
    [`00-${trace}0-${parent}-01`, undefined],
    [`0-${trace}-${parent}-01`, undefined],
    [`00_${trace}_${parent}_01`, undefined],
    [` 00-${trace}-${parent}-01`, undefined],
    [`00-${trace}-${parent}-01, 00-${trace}-${parent}-01`, undefined],
    ['', undefined],
    ['x'.repeat(10_000), undefined],
  ]
  for (const [text, found] of rows) assert.deepEqual([text, parseTraceparent(text)], [text, found])
})
