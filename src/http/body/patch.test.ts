import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import vectors from 'json-patch-test-suite/tests.json' with { type: 'json' }
import examples from 'json-patch-test-suite/spec_tests.json' with { type: 'json' }
import { applyJsonPatch } from './apply-json-patch.ts'
import { applyMergePatch, parseJsonPatch } from './patch.ts'
import { HttpError } from '../errors/http-error.ts'

const limits = { maxBodyBytes: 10_000, maxJsonDepth: 10 }

// RFC 7396, appendix A: the original, the patch, the result.
const mergePatches: readonly [target: unknown, patch: unknown, result: unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

suite('the appendix of RFC 7396', () => {
  for (const [target, patch, expected] of mergePatches) {
    test(`${JSON.stringify(target)} patched by ${JSON.stringify(patch)}`, () => {
      const before = structuredClone(target)
      assert.deepEqual(applyMergePatch(target, patch), expected)
      assert.deepEqual(target, before)
    })
  }
})

interface Vector {
  doc: unknown
  patch: unknown
  expected?: unknown
  error?: string
  comment?: string
  disabled?: boolean
}

suite('the public vectors of JSON Patch', () => {
  const all: readonly Vector[] = [...(vectors as Vector[]), ...(examples as Vector[])]
  for (const { doc, patch, expected, error, comment, disabled } of all) {
    if (disabled === true) continue
    test(comment ?? error ?? JSON.stringify(patch), () => {
      const before = structuredClone(doc)
      const apply = () => applyJsonPatch(doc, parseJsonPatch(patch), limits)
      if (error === undefined) assert.deepEqual(apply(), expected ?? apply())
      else assert.throws(apply, HttpError)
      assert.deepEqual(doc, before)
    })
  }
})

const malformed: readonly unknown[] = [
  undefined,
  null,
  {},
  'text',
  [null],
  [[]],
  [{}],
  [{ op: 'add' }],
  [{ op: 'add', path: '/a' }],
  [{ op: 'add', path: 'a', value: 1 }],
  [{ op: 'add', path: '/~2', value: 1 }],
  [{ op: 'add', path: 1, value: 1 }],
  [{ op: 'remove' }],
  [{ op: 'move', path: '/a' }],
  [{ op: 'copy', from: 'a', path: '/a' }],
  [{ op: 'spam', path: '/a' }],
  [{ op: 'add', path: '/__proto__', value: 1 }],
  [{ op: 'add', path: '/a/__proto__/polluted', value: 1 }],
  [{ op: 'copy', from: '/__proto__', path: '/a' }],
  [{ op: 'move', from: '/a', path: '/b/__proto__' }],
  [{ op: 'add', path: '/constructor/prototype', value: 1 }],
  [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }],
  Array.from({ length: 101 }, () => ({ op: 'test', path: '/a', value: 1 })),
]
for (const patch of malformed) {
  test(`${JSON.stringify({ patch }).slice(0, 60)} is an invalid JSON Patch`, () => {
    assert.throws(
      () => parseJsonPatch(patch),
      (error) => error instanceof HttpError && error.status === 400,
    )
  })
}

const conflicts: readonly [title: string, operation: object][] = [
  ['a value that is another', { op: 'test', path: '/a', value: 2 }],
  ['a value of another type', { op: 'test', path: '/a', value: '1' }],
  ['nothing to remove', { op: 'remove', path: '/nothing' }],
  ['nothing to replace', { op: 'replace', path: '/nothing', value: 1 }],
  ['a move into itself', { op: 'move', from: '/b', path: '/b/c' }],
  ['a way through a text', { op: 'add', path: '/a/b/c', value: 1 }],
]
const equalities: readonly [one: unknown, other: unknown, isEqual: boolean][] = [
  [1, 1, true],
  [0, -0, true],
  [1, '1', false],
  [null, 0, false],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[1], { 0: 1 }, false],
  [{ a: 1, b: [{}] }, { b: [{}], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 1 }, false],
  [{}, { toString: 1 }, false],
  [{}, null, false],
]
for (const [one, other, isEqual] of equalities) {
  test(`${JSON.stringify(one)} ${isEqual ? 'equals' : 'differs from'} ${JSON.stringify(other)}`, () => {
    const operations = parseJsonPatch([{ op: 'test', path: '/a', value: other }])
    const apply = () => applyJsonPatch({ a: one }, operations, limits)
    if (isEqual) apply()
    else assert.throws(apply, HttpError)
  })
}

test('a patch changes neither its own values nor what it has copied', () => {
  const operations = parseJsonPatch([
    { op: 'add', path: '/a', value: { b: [] } },
    { op: 'copy', from: '/a', path: '/c' },
    { op: 'add', path: '/a/b/-', value: 1 },
  ])
  for (let round = 1; round <= 2; round += 1) {
    assert.deepEqual(applyJsonPatch({}, operations, limits), { a: { b: [1] }, c: { b: [] } })
  }
})

test('a member called __proto__ is handled like any other in a merge patch', () => {
  const result = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":1}}'))
  assert.equal(JSON.stringify(result), '{"__proto__":{"polluted":1}}')
  assert.equal(Object.getPrototypeOf(result), Object.prototype)
})

for (const [title, operation] of conflicts) {
  test(`${title} is a conflict, and nothing of the patch is applied`, () => {
    const document = { a: 1, b: { c: 2 } }
    const operations = parseJsonPatch([{ op: 'add', path: '/first', value: 1 }, operation])
    assert.throws(
      () => applyJsonPatch(document, operations, limits),
      (error) => error instanceof HttpError && error.status === 409,
    )
    assert.deepEqual(document, { a: 1, b: { c: 2 } })
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  })
}
