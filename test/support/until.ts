import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'

/** So long only a defect takes, on however busy a machine. */
const patienceMs = 240_000

/** Calls `holds` until it returns true; fails after some minutes. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  while (!(await holds())) {
    assert.ok(performance.now() < giveUpAt, `never became true: ${String(holds)}`)
    // Leaves the processor to what is waited for.
    await setTimeout(1)
  }
}
