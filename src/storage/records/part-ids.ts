/** So many records are read at a time of a list that a client may be slow to take. */
const recordsPerPart = 250

/** The condition that picks some records by their ids, for one part of them after another. */
export function* partIds(ids: readonly string[]): Generator<{ sql: string; values: string[] }> {
  for (let start = 0; start < ids.length; start += recordsPerPart) {
    const values = ids.slice(start, start + recordsPerPart)
    yield { sql: `id IN (${values.map(() => '?').join(', ')})`, values }
  }
}
