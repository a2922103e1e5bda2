import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { spawnVitrine } from '../start-vitrine.ts'

/** Fails unless the start ends with status 2 and one line, which is given. */
export async function assertFailsToStart(
  t: TestContext,
  settings: Record<string, string>,
): Promise<string> {
  const { process: child, output } = spawnVitrine({ PORT: '0', ...settings })
  t.after(() => child.kill('SIGKILL'))
  await once(child, 'close')
  const lines = output().trimEnd().split('\n')
  assert.equal(lines.length, 1, output())
  assert.match(lines[0] ?? '', /^vitrine: cannot start: (sqlite:|[A-Z]+_URL )/)
  assert.equal(child.exitCode, 2)
  return lines[0] ?? ''
}
