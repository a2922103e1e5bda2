import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HttpError } from '../http/errors/http-error.ts'
import { createPatternTest } from './patterns.ts'

const texts = ['abc', 'ABD', '', 'a.c', 'x\ny', undefined]

const matched: [pattern: string, indexes: number[]][] = [
  ['abc', [0]],
  ['^ab', [0, 1]],
  ['^$', [2]],
  ['a\\.c', [3]],
  ['a.c', [0, 3]],
  ['(?<=a)b', [0, 1]],
  ['^(a|x)', [0, 1, 3, 4]],
  ['(.)\\1', []],
  ['', [0, 1, 2, 3, 4]],
]

for (const [pattern, indexes] of matched) {
  test(`/${pattern}/i matches the texts ${indexes.join()}`, async () => {
    const results = await createPatternTest('name_like', [pattern])(texts)
    assert.deepEqual(
      results.flatMap((isMatch, index) => (isMatch ? [index] : [])),
      indexes,
    )
  })
}

test('an invalid pattern gets 400', () => {
  assert.throws(() => createPatternTest('name_like', ['(']), { status: 400 })
})

test('a pattern that takes too long gets 400, other work goes on, and the next pattern works', async () => {
  const slow = createPatternTest('name_like', ['^(a+)+$'])(['a'.repeat(60) + '!'])
  let isDone = false
  const outcome = assert
    .rejects(slow, (error: HttpError) => error.status === 400)
    .finally(() => (isDone = true))
  // Turns of the event loop, which matching in this thread would not let happen.
  for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate)
  assert.equal(isDone, false)
  await outcome
  assert.deepEqual(await createPatternTest('name_like', ['a.c'])(texts.slice(0, 1)), [true])
})

test('ten slow patterns are stopped, and the honest one behind them matches', async () => {
  const slow = Array.from({ length: 10 }, () =>
    assert.rejects(createPatternTest('a_like', ['^(a+)+$'])(['a'.repeat(60) + '!'])),
  )
  assert.deepEqual(await createPatternTest('a_like', ['^a.c$'])(['abc']), [true])
  await Promise.all(slow)
})

test('the pages of one request are matched for half a second together', async () => {
  const test = createPatternTest('a_like', ['^(a|a)*$'])
  const matchAll = async () => {
    for (let page = 0; page < 10_000; page += 1) await test(['a'.repeat(18) + '!'])
  }
  await assert.rejects(matchAll(), { status: 400 })
})
