import { setImmediate } from 'node:timers/promises'

/** Asks again and again until `holds` says yes; the test's own time limit ends it otherwise. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setImmediate()
}
