import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'

export { pristinePlace, toPlaceName } from './places.ts'

/** The sandbox of a request. Its key is not in it. */
export interface Sandbox {
  /** A hash of the key. */
  id: string
  isReadOnly: boolean
  /** The client that sends the request: the first one to write has begun the sandbox. */
  findClient?: (() => string | undefined) | undefined
}

export interface Scope {
  sandbox: Sandbox
  /** Where the records of the sandbox were when they were last looked for. */
  place?: string
  foundAtMs?: number
}

const scopes = new AsyncLocalStorage<Scope | undefined>()

/** What `run` and what it starts read and write is that of the sandbox; without a scope, it is shared. */
export function runInScope<Result>(scope: Scope | undefined, run: () => Result): Result {
  return scopes.run(scope, run)
}

/** What streams and sockets report later, such as the next part of a body, is handled in the scope too. */
export function runInSandbox(
  sandbox: Sandbox,
  emitters: readonly EventEmitter[],
  run: () => void,
): void {
  runInScope({ sandbox }, () => {
    const inScope = AsyncLocalStorage.snapshot()
    for (const emitter of emitters) {
      const emit = emitter.emit.bind(emitter)
      emitter.emit = (...event: Parameters<typeof emit>) => inScope(emit, ...event)
    }
    run()
  })
}

/** What the request does from now on is done in this sandbox. */
export function moveToSandbox(sandbox: Sandbox): void {
  const scope = scopes.getStore()
  const moved = { ...scope?.sandbox, ...sandbox }
  if (scope) Object.assign(scope, { sandbox: moved, place: undefined, foundAtMs: undefined })
}

export const findScope = (): Scope | undefined => scopes.getStore()

/** Empty for what is shared. Another life of a sandbox has another one. */
export function toScopeKey(): string {
  const scope = scopes.getStore()
  return scope === undefined ? '' : `${scope.sandbox.id}.${scope.place ?? ''}`
}

const maxKept = 1000

/** One value for what is shared, and one for each of the sandboxes that were used last. */
export function openPerSandbox<Value>(open: () => Value): () => Value {
  const shared = open()
  const find = keepLatest(open)
  return () => {
    const key = toScopeKey()
    return key === '' ? shared : find(key)
  }
}

export function keepLatest<Value>(open: (key: string) => Value): (key: string) => Value {
  const values = new Map<string, Value>()
  return (key) => {
    const value = values.get(key) ?? open(key)
    values.delete(key)
    values.set(key, value)
    if (values.size > maxKept) values.delete(values.keys().next().value ?? '')
    return value
  }
}

export interface SandboxState {
  records: number
  /** Unset before the first write. */
  expiresAt: string | undefined
}

/** Removes what is stored outside of the place for a sandbox. */
export type EndListener = (place: string) => Promise<void>

/** `findPlace` to `reset` are of the sandbox of the request. */
export interface Sandboxes {
  /** The place of its records; undefined for what is shared. */
  findPlace: () => Promise<string | undefined>
  /** Stores the sandbox first, if it is not stored. */
  claimPlace: () => Promise<string | undefined>
  /** Of all sandboxes that the client has begun who began this one: what they have counts for it. */
  findPlacesOfClient: () => Promise<readonly string[]>
  describe: () => Promise<SandboxState>
  /** The sandbox is as it was at first, with new times, from one moment to the next. */
  reset: () => Promise<void>
  onEnd: (remove: EndListener) => void
  /** Returns how many there were. What they had is removed by the next sweeps. */
  endAll: () => Promise<number>
  /** As above, with what they had and what they begin with, at once. */
  removeAll: (fileCollections: readonly string[]) => Promise<number>
  /** Ends the sandboxes that were not used for long, and removes a part of what the ended ones had. */
  sweep: (now: string, fileCollections: readonly string[]) => Promise<void>
}
