import type { Document, Pages, StoredRecord } from '../../stores/records/records.ts'

/** About as much as a stream reads ahead. */
const maxLength = 64 * 1024

/**
 * The same records in pages of at most about 64 K characters. A client that takes a list slowly keeps
 * the page that it is at in memory, and records may be of any size.
 */
export async function* cutPages(pages: Pages): Pages {
  for await (const page of pages) {
    const records = [...page]
    while (records.length > 0) yield records.splice(0, countFitting(records))
  }
}

function countFitting(records: readonly StoredRecord[]): number {
  let length = 0
  const count = records.findIndex(({ document }) => (length += measure(document)) > maxLength)
  return count === -1 ? records.length : Math.max(count, 1)
}

/** In characters, roughly. */
function measure(document: Document): number {
  return Object.values(document).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 20),
    100,
  )
}
