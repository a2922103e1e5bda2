import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { spawnVitrine } from './start-vitrine.ts'

/** A start that is expected to end by itself: its status, and all that it has written. */
export async function failedStart(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<{ status: number | null; output: string; lines: string[] }> {
  const { process: child, output } = spawnVitrine({ PORT: '0', ...settings }, flags)
  t.after(() => child.kill('SIGKILL'))
  await once(child, 'close')
  return { status: child.exitCode, output: output(), lines: output().trimEnd().split('\n') }
}
