import { openOnce } from '../records/records.ts'
import type {
  Collection,
  RecordPages,
  RecordQuery,
  Records,
  WriteStep,
} from '../records/records.ts'
import type { Lifecycle } from './lifecycle.ts'
import { toPlaceName } from './places.ts'
import { findScope, keepLatest, type Scope } from './sandboxes.ts'

/** Each call uses the records of the sandbox of its request, so that no handler can forget it. */
export function scopeRecords(
  base: Records,
  { toPlace, toWritable, assertRoom }: Pick<Lifecycle, 'toPlace' | 'toWritable' | 'assertRoom'>,
): Records {
  const open = keepLatest(base.collection)
  async function* toPages(scope: Scope, name: string, query?: RecordQuery): RecordPages {
    yield* open(toPlaceName(await toPlace(scope), name)).pages(query)
  }
  const collection = openOnce((name): Collection => {
    const shared = base.collection(name)
    const read = <Result>(run: (opened: Collection) => Result | Promise<Result>) => {
      const scope = findScope()
      if (scope === undefined) return run(shared)
      return after(toPlace(scope), (place) => run(open(toPlaceName(place, name))))
    }
    const write = async <Result>(run: (opened: Collection) => Promise<Result>) => {
      const scope = findScope()
      if (scope === undefined) return run(shared)
      return run(open(toPlaceName(await toWritable(scope), name)))
    }
    const { state } = shared
    return {
      ofScope: (isToWrite = false) =>
        isToWrite ? write(async (opened) => opened) : read((opened) => opened),
      find: (id) => read((opened) => opened.find(id)),
      create: (record) =>
        write(async (opened) => {
          if (findScope())
            await assertRoom([{ collection: name, kind: 'create', records: [record] }])
          return opened.create(record)
        }),
      change: (record) => write((opened) => opened.change(record)),
      remove: (id, version) => write((opened) => opened.remove(id, version)),
      clear: () => write((opened) => opened.clear()),
      index: shared.index,
      ...(state && { state: () => read((opened) => opened.state?.() ?? 0) }),
      list: async (query, part) => read((opened) => opened.list(query, part)),
      count: async (query) => read((opened) => opened.count(query)),
      pages: (query) => {
        const scope = findScope()
        return scope === undefined ? shared.pages(query) : toPages(scope, name, query)
      },
    }
  })
  const { start, read, skip, watch } = base.changes
  const toName = async (name: string) => {
    const scope = findScope()
    return scope === undefined ? name : toPlaceName(await toPlace(scope), name)
  }
  return {
    collection,
    commit: async (steps) => {
      const scope = findScope()
      if (scope === undefined) return base.commit(steps)
      const place = await toWritable(scope)
      await assertRoom(steps)
      const toPlaced = (step: WriteStep) => ({
        ...step,
        collection: toPlaceName(place, step.collection),
      })
      return base.commit(steps.map(toPlaced))
    },
    changes: {
      start,
      read: async (name, position) => read(await toName(name), position),
      skip: async (name) => skip(await toName(name)),
      watch,
    },
    counts: base.counts,
    measureDatabase: base.measureDatabase,
    measureFiles: base.measureFiles,
  }
}

export function after<Value, Result>(
  value: Value | Promise<Value>,
  run: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(run) : run(value)
}
