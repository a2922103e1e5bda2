import type { Files } from '../files/files.ts'
import type { Lifecycle } from './lifecycle.ts'
import { findScope, runInScope } from './sandboxes.ts'

/** The id of a file of a sandbox has its place. */
export const toFileId = (place: string, id: string): string => `sandbox_${place}_${id}`

const ofSandbox = /^sandbox_([\w-]{16})_([\w-]+)$/

/** A request finds the files of its sandbox only. */
export function scopeFiles(base: Files, { toPlace, toWritable }: Lifecycle): Files {
  const toRead = async (id: string) => {
    const scope = findScope()
    return scope === undefined ? id : toFileId(await toPlace(scope), id)
  }
  const toWrite = async (id: string) => {
    const scope = findScope()
    return scope === undefined ? id : toFileId(await toWritable(scope), id)
  }
  return {
    save: async (id, content) => base.save(await toWrite(id), content),
    keep: async (id) => base.keep(await toWrite(id)),
    read: async (id, start, end) => base.read(await toRead(id), start, end),
    remove: async (id) => base.remove(await toWrite(id)),
    sweep: (isKnown) =>
      base.sweep((id) => {
        const [, place, own] = ofSandbox.exec(id) ?? []
        if (place === undefined || own === undefined) return isKnown(id)
        return runInScope(toPlaceScope(place), () => isKnown(own))
      }),
    check: base.check,
  }
}

/** The place stays: it is not looked up. */
function toPlaceScope(place: string) {
  return { sandbox: { id: '', isReadOnly: true }, place, foundAtMs: Infinity }
}
