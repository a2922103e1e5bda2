import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createId } from './create-id.ts'

const ids = Array.from({ length: 20_000 }, createId)

test('ids are UUIDs of version 7 that begin with the time', () => {
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  const [first = ''] = ids
  const time = parseInt(first.replace('-', '').slice(0, 12), 16)
  assert.ok(time <= Date.now() && time > Date.now() - 600_000)
})

test('each id sorts after the one before, also within a millisecond', () => {
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
})
