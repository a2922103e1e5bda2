import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderCookieFlags, toDuration } from './views.ts'

test('a duration is shown in suitable units', () => {
  const cases: [seconds: number, text: string][] = [
    [1, '1 second'],
    [100, '100 seconds'],
    [120, '2 minutes'],
    [150, '2 minutes 30 seconds'],
    [1800, '30 minutes'],
    [3600, '1 hour'],
    [5460, '1 hour 31 minutes'],
    [43_200, '12 hours'],
  ]
  for (const [seconds, text] of cases) assert.equal(toDuration(seconds), text)
})

test('over HTTPS no attribute is shown as missing', () => {
  const { markup } = renderCookieFlags({ field: '', maxSeconds: 60, isSecure: true })
  assert.doesNotMatch(markup, /Not set/)
})
