import { toStoredRecord, type SqlDialect } from './dialect.ts'
import { changeKinds, type Change, type ChangeLog } from './records.ts'

const maxRead = 100
const maxReadBytes = 65_536
/** The documents of private collections would stay in the log after their records. A change has the latest one. */
export const loggedDocument = (name: string) =>
  `CASE WHEN ${name} NOT LIKE '~%' AND ${name} NOT LIKE '%/~%' THEN document END`

const bytes = `octet_length(coalesce(document, ''))`

const select = `SELECT last, number, kind, id, document, version, created_at, updated_at
  FROM change_numbers AS numbers LEFT JOIN (
    SELECT *, sum(${bytes}) OVER (ORDER BY number) - ${bytes} AS bytes_before FROM (
      SELECT number, kind, changes.id, coalesce(changes.document, records.document) AS document,
        changes.version, changes.created_at, changes.updated_at
      FROM changes LEFT JOIN records ON records.resource = changes.resource
        AND records.id = changes.id AND records.version >= changes.version
      WHERE changes.resource = ? AND number > ? ORDER BY number LIMIT ${String(maxRead)}
    ) AS next
  ) AS part ON bytes_before < ${String(maxReadBytes)}
  WHERE numbers.resource = ? ORDER BY number`

/** The log of a sandbox begins with its first change. */
export function createRead({ run }: SqlDialect): ChangeLog['read'] {
  return async (name, after = Number.MAX_SAFE_INTEGER) => {
    const rows = await run(select, [name, after, name])
    const changes = rows.flatMap(([, number, kindName, id, document = null, ...times]) => {
      const kind = changeKinds.find((each) => each === kindName)
      if (number === null || kind === undefined) return []
      const record = document === null ? undefined : toStoredRecord([id ?? '', document, ...times])
      return { number: Number(number), kind, id: String(id), record }
    })
    const newest = Number(rows[0]?.[0] ?? 0)
    const isNext = ({ number }: Change, index: number) => number === after + 1 + index
    const hasGap = changes.length === 0 ? newest !== after : !changes.every(isNext)
    if (hasGap) return { changes: [], last: newest, hasGap }
    return { changes, last: changes.at(-1)?.number ?? after, hasGap }
  }
}

/** One source for all that wait: opened for the first of them, closed after the last. */
export function shareWakeUps(open: (wakeAll: () => void) => () => void): ChangeLog['watch'] {
  const waiting = new Set<{ wake: () => void }>()
  let close: (() => void) | undefined
  return (wake) => {
    const entry = { wake }
    waiting.add(entry)
    close ??= open(() => {
      for (const each of waiting) each.wake()
    })
    return () => {
      waiting.delete(entry)
      if (waiting.size > 0) return
      close?.()
      close = undefined
    }
  }
}
