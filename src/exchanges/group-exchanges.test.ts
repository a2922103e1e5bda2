import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../test/support/exchanges.ts'
import { groupExchanges } from './group-exchanges.ts'

const at = (second: number) => `2026-11-21T08:20:${String(second).padStart(2, '0')}.000000Z`
const get = (second: number, target: string, parts = {}) =>
  exchange({ id: `${target}@${String(second)}`, receivedAt: at(second), target, ...parts })
const redirect = (second: number, target: string, location: string) =>
  get(second, target, { status: 303, location })
const other = { client: '10.0.0.2' }

for (const [name, oldestFirst, expected] of [
  ['a redirect', [redirect(1, '/a', '/b'), get(2, '/b')], ['/b@2 /a@1']],
  [
    'two redirects',
    [redirect(1, '/a', 'b'), redirect(1, '/b', '//h/c?d#e'), get(2, '/c?d')],
    ['/c?d@2 /b@1 /a@1'],
  ],
  ['a later request', [redirect(1, '/a', '/b'), get(2, '/b'), get(3, '/b')], ['/b@3', '/b@2 /a@1']],
  ['a request after a pause', [redirect(1, '/a', '/b'), get(30, '/b')], ['/b@30', '/a@1']],
  ['another client', [redirect(1, '/a', '/b'), get(2, '/b', other)], ['/b@2', '/a@1']],
  [
    'a preflight',
    [get(1, '/a', { isPreflight: true }), get(2, '/a', { method: 'PUT' })],
    ['/a@2 /a@1'],
  ],
  [
    'a request between',
    [redirect(1, '/a', '/b'), get(1, '/x', other), get(2, '/b')],
    ['/b@2 /a@1', '/x@1'],
  ],
  ['an invalid location', [redirect(1, '/a', 'http://['), get(2, '/b')], ['/b@2', '/a@1']],
] as const) {
  test(`exchanges with ${name} are grouped`, () => {
    const groups = groupExchanges(oldestFirst.toReversed())
    assert.deepEqual(
      groups.map((group) => group.map(({ id }) => id).join(' ')),
      expected,
    )
  })
}
