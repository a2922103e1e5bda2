import assert from 'node:assert/strict'

/** The state of a thing, for comparison; undefined when it does not exist. */
type State = string | undefined

/**
 * What a crash has to leave behind: the state of every name that was ever written. A write that was
 * under way when the process ended may have happened or not, but not by half.
 */
export function createLedger(kind: string) {
  const settled = new Map<string, State>()
  const underWay = new Map<string, State>()
  let writes = 0

  return {
    writes: () => writes,
    names: () => [...settled].filter(([, state]) => state !== undefined).map(([name]) => name),
    state: (name: string) => settled.get(name),

    /** Runs a write that puts `name` into this state. It is acknowledged when `write` has resolved. */
    record: async <Result>(name: string, state: State, write: () => Promise<Result>) => {
      underWay.set(name, state)
      const result = await write()
      underWay.delete(name)
      settled.set(name, state)
      writes += 1
      return result
    },

    /** Every difference from the current state, which replaces the expected one. */
    compare: (found: ReadonlyMap<string, string>): string[] => {
      const losses: string[] = []
      for (const name of new Set([...settled.keys(), ...underWay.keys(), ...found.keys()])) {
        const state = found.get(name)
        const allowed = [settled.get(name), ...(underWay.has(name) ? [underWay.get(name)] : [])]
        if (!allowed.includes(state)) {
          losses.push(`${kind} ${name} is ${String(state)} and not ${allowed.join(' or ')}`)
        }
        settled.set(name, state)
      }
      underWay.clear()
      return losses
    },
  }
}

export type Ledger = ReturnType<typeof createLedger>

/** A response that acknowledges: every other one is a fault here. */
export function assertAcknowledged(status: number, text: string): void {
  assert.ok(status >= 200 && status < 300, `${String(status)}: ${text}`)
}
