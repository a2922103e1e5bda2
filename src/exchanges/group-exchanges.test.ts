import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../test/support/exchanges.ts'
import type { Summary } from './exchange.ts'
import { findChain, groupExchanges } from './group-exchanges.ts'

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

const step = { target: '/responses/sequence/a?steps=503*2,200', method: 'GET' }
const edit = { target: '/locations/a', method: 'PATCH' }
const post = { target: '/locations', method: 'POST' }
const chains: Readonly<Record<string, readonly Partial<Summary>[]>> = {
  'a login after 401': [
    { target: '/login', method: 'POST', status: 401 },
    { target: '/login', method: 'POST', status: 303, location: '/session' },
    { target: '/session', status: 200 },
  ],
  '412, a reload and a retry': [
    { ...edit, status: 412 },
    { target: '/locations/a/', method: 'GET' },
    { ...edit, status: 200 },
  ],
  'a sequence after its reset': [
    { target: '/responses/sequence/a/state', method: 'DELETE' },
    ...[1, 2, 3].map((one) => ({ ...step, step: one })),
  ],
  'a replayed request': [1, 2].map(() => ({ ...post, status: 201, idempotencyKey: '"a"' })),
  'a preflight': [
    { target: '/a', method: 'OPTIONS', isPreflight: true },
    { target: '/a', method: 'PUT' },
  ],
}

const toNumbered = (parts: readonly Partial<Summary>[]) =>
  parts.map((one, index) => {
    const { method = 'GET' } = one
    const receivedAt = `2026-11-21T08:20:4${String(index)}.000000Z`
    return exchange({ effectiveMethod: method, ...one, id: String(index), receivedAt })
  })

for (const [name, parts] of Object.entries(chains)) {
  test(`${name} is one chain, from each of its exchanges`, () => {
    const all = toNumbered(parts)
    const others = toNumbered([{ target: '/b' }, { target: '/c', method: 'POST' }])
    const strange = others.map((one, index) => ({ ...one, id: `other ${String(index)}` }))
    const newestFirst = [...all, ...strange].toReversed()
    for (const { id } of all)
      assert.deepEqual(
        findChain(newestFirst, id).map((one) => one.id),
        all.map((one) => one.id),
      )
  })
}

test('each exchange of a long chain is in the part of it that is shown', () => {
  const receivedAt = at(1)
  const all = Array.from({ length: 60 }, (_, index) =>
    exchange({ ...step, effectiveMethod: 'GET', id: String(index), receivedAt, step: index + 1 }),
  )
  for (const { id } of all)
    assert.ok(
      findChain(all.toReversed(), id).some((one) => one.id === id),
      id,
    )
})

for (const [name, parts] of Object.entries({
  'a sequence that began again': [2, 1].map((one) => ({ ...step, step: one })),
  'reads of the same URL': [{ target: '/a' }, { target: '/a' }],
  'requests with other keys': ['"a"', '"b"'].map((idempotencyKey) => ({ ...post, idempotencyKey })),
  'the requests of two clients': ['a', 'b'].map((client) => ({ ...edit, client, status: 412 })),
  'a read and a change without 412': [{ target: '/locations/a' }, edit],
})) {
  test(`${name} are no chain`, () => {
    assert.equal(findChain(toNumbered(parts).toReversed(), '1').length, 1)
  })
}
