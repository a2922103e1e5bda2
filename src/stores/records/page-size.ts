import type { Row } from './dialect.ts'

/** The length of the documents of one page: a client that reads slowly keeps a page in memory. */
const maxPageChars = 16 * 1024

export function createPageSize(maxRecords: number) {
  let averageLength = maxPageChars / 16
  return {
    next: () => Math.max(1, Math.min(maxRecords, Math.floor(maxPageChars / averageLength))),
    cut: (rows: readonly Row[]) => {
      let length = 0
      const isOver = ([, text]: Row) => (length += 100 + String(text).length) > maxPageChars
      const count = rows.findIndex(isOver)
      if (rows.length > 0) averageLength = length / (count === -1 ? rows.length : count + 1)
      return count === -1 ? rows : rows.slice(0, Math.max(count, 1))
    },
  }
}
