import { isObject } from '../../../config/is-object.ts'
import { findFolded } from '../conditions.ts'
import type { Document } from '../records.ts'

interface Folded {
  [name: string]: string | Folded
}

/** No path has this name. */
export const ownId = ''

/**
 * The lowercase texts of a record that lower() of SQLite, which knows ASCII only, would not find, as JSON in the
 * structure of the document; null without any.
 */
export function toFolded(id: string, document: Document): string | null {
  const folded = foldMembers({ ...document, [ownId]: id })
  return folded && JSON.stringify(folded)
}

function foldMembers(document: Document): Folded | null {
  const entries = Object.entries(document).flatMap(([name, value]): [string, string | Folded][] => {
    const folded = fold(value)
    return folded === null ? [] : [[name, folded]]
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

function fold(value: unknown): string | Folded | null {
  if (isObject(value)) return foldMembers(value)
  return typeof value === 'string' ? (findFolded(value) ?? null) : null
}
