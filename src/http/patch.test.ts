import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import vectors from 'json-patch-test-suite/tests.json' with { type: 'json' }
import examples from 'json-patch-test-suite/spec_tests.json' with { type: 'json' }
import { applyJsonPatch, applyMergePatch, parseJsonPatch } from './patch.ts'
import { Refusal } from './refusal.ts'

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
      const apply = () => applyJsonPatch(doc, parseJsonPatch(patch))
      if (error === undefined) assert.deepEqual(apply(), expected ?? apply())
      else assert.throws(apply, Refusal)
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
  Array.from({ length: 101 }, () => ({ op: 'test', path: '/a', value: 1 })),
]
for (const patch of malformed) {
  test(`${JSON.stringify({ patch }).slice(0, 60)} is no JSON Patch`, () => {
    assert.throws(
      () => parseJsonPatch(patch),
      (error) => error instanceof Refusal && error.status === 400,
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
  ['a prototype', { op: 'add', path: '/__proto__/polluted', value: 1 }],
  ['a constructor', { op: 'add', path: '/constructor/prototype/polluted', value: 1 }],
]
for (const [title, operation] of conflicts) {
  test(`${title} is a conflict, and nothing of the patch counts`, () => {
    const document = { a: 1, b: { c: 2 } }
    const operations = parseJsonPatch([{ op: 'add', path: '/first', value: 1 }, operation])
    assert.throws(
      () => applyJsonPatch(document, operations),
      (error) => error instanceof Refusal && error.status === 409,
    )
    assert.deepEqual(document, { a: 1, b: { c: 2 } })
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  })
}
