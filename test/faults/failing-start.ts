import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { failedStart } from '../support/failed-start.ts'

/** Fails unless the start ends with status 2 and one line, which is given. */
export async function assertFailsToStart(
  t: TestContext,
  settings: Record<string, string>,
): Promise<string> {
  const { status, output, lines } = await failedStart(t, settings)
  assert.equal(lines.length, 1, output)
  assert.match(lines[0] ?? '', /^vitrine: cannot start: (sqlite:|[A-Z]+_URL )/)
  assert.equal(status, 2)
  return lines[0] ?? ''
}
