import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes, formatDuration } from './assets/size.js'

test('a size is shown in the shortest unit', () => {
  const cases: [bytes: number, text: string][] = [
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1023 bytes'],
    [1024, '1 KiB'],
    [1434, '1.4 KiB'],
    [102_400, '100 KiB'],
    [1024 ** 2 - 1, '1 MiB'],
    [10 * 1024 ** 2, '10 MiB'],
    [1024 ** 3, '1 GiB'],
    [5000 * 1024 ** 3, '5000 GiB'],
  ]
  for (const [bytes, text] of cases) assert.equal(formatBytes(bytes), text)
})

test('a time is shown with about three digits', () => {
  const cases: [ms: number, text: string][] = [
    [0, '0.00 ms'],
    [0.123, '0.12 ms'],
    [9.96, '10.0 ms'],
    [340.4, '340 ms'],
    [999.6, '1.00 s'],
    [1240, '1.24 s'],
    [125_000, '125 s'],
  ]
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text)
})
