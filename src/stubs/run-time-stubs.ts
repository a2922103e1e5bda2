import { maxChangedStubs } from '../config/limits.ts'
import { findScope } from '../stores/sandboxes/sandboxes.ts'
import { createStubList, type Stub, type StubList } from './stub-list.ts'

interface Changes {
  /** Those that were added, the newest first. */
  added: readonly Stub[]
  /** The names that stubs of the file no longer have, or `all`. */
  hidden: ReadonlySet<string> | 'all'
  /** The result for one version of the file. */
  merged?: { ofFile: StubList; list: StubList }
}

/** Changes of the stubs of the file, for each sandbox and for what is shared, in the memory of this process. */
export function createRunTimeStubs() {
  const bySandbox = new Map<string, Changes>()
  const toKey = () => findScope()?.sandbox.id ?? ''
  /** The sandbox that was used last is the last one of the map. */
  const keep = (changes: Changes) => {
    const key = toKey()
    bySandbox.delete(key)
    bySandbox.set(key, changes)
    if (bySandbox.size > maxChangedStubs) bySandbox.delete(bySandbox.keys().next().value ?? '')
  }
  const hide = (given: readonly string[]): Changes => {
    const names = new Set(given)
    const { added = [], hidden = [] } = bySandbox.get(toKey()) ?? {}
    return {
      added: added.filter(({ name }) => !names.has(name)),
      hidden: hidden === 'all' ? hidden : new Set([...hidden, ...names]),
    }
  }
  return {
    find: (ofFile: StubList): StubList => {
      const changes = bySandbox.size === 0 ? undefined : bySandbox.get(toKey())
      if (!changes) return ofFile
      keep(changes)
      if (changes.merged?.ofFile !== ofFile)
        changes.merged = { ofFile, list: merge(changes, ofFile) }
      return changes.merged.list
    },
    replace: (added: readonly Stub[]) => {
      keep({ added, hidden: 'all' })
    },
    /** They come first, and replace those with the same names. */
    add: (stubs: readonly Stub[]) => {
      const { added, hidden } = hide(stubs.map(({ name }) => name))
      keep({ added: [...stubs, ...added], hidden })
    },
    remove: (name: string) => {
      keep(hide([name]))
    },
    /** The stubs are those of the file again. */
    reset: () => {
      bySandbox.delete(toKey())
    },
  }
}

function merge({ added, hidden }: Changes, { stubs }: StubList): StubList {
  const kept = hidden === 'all' ? [] : stubs.filter(({ name }) => !hidden.has(name))
  return createStubList([...added, ...kept])
}
