import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenize } from './assets/highlight.js'

test('a number is highlighted, and not the digits of an id', () => {
  assert.deepEqual(tokenize('--secret vbs_c-a-2P3BN -n -2 40', 'code'), [
    ['', '--secret vbs_c-a-2P3BN -n '],
    ['number', '-2'],
    ['', ' '],
    ['number', '40'],
  ])
  assert.deepEqual(tokenize('[-1,2.5e+3]', 'json'), [
    ['', '['],
    ['number', '-1'],
    ['', ','],
    ['number', '2.5e+3'],
    ['', ']'],
  ])
})

test('the backslash at the end of a line is a part of its own', () => {
  assert.deepEqual(
    tokenize(
      String.raw`-i URL \\ \
  -d @a`,
      'code',
    ),
    [
      ['', String.raw`-i URL \\ `],
      ['continued', '\\'],
      ['', '\n  -d @a'],
    ],
  )
})
