import type { Row } from './dialect.ts'

/** The length of the documents of one page: a client that reads slowly keeps a page in memory. */
const maxPageLength = 32 * 1024
const firstSize = 16

interface PageSize {
  /** By the average length of the records so far. */
  next: () => number
  /** The first rows that fit into a page; at least one. */
  cut: (rows: readonly Row[]) => readonly Row[]
}

export function createPageSize(maxRecords: number): PageSize {
  let records = 0
  let length = 0
  return {
    next: () => {
      if (records === 0) return firstSize
      return Math.max(1, Math.min(maxRecords, Math.floor((maxPageLength * records) / length)))
    },
    cut: (rows) => {
      let pageLength = 0
      const count = rows.findIndex(
        ([, document]) => (pageLength += 100 + String(document).length) > maxPageLength,
      )
      records += rows.length
      length += rows.reduce((sum, [, document]) => sum + 100 + String(document).length, 0)
      return count === -1 ? rows : rows.slice(0, Math.max(count, 1))
    },
  }
}
