const maxEdits = 3

/** The name that was probably meant: the only one that continues it with more words, or one with few other letters. */
export function findNearest(name: string, names: readonly string[]): string | undefined {
  const [longer, ...others] = names.filter((known) => known.startsWith(`${name}_`))
  if (longer !== undefined && others.length === 0) return longer
  const maxDistance = Math.min(maxEdits, name.length / 2)
  const [nearest] = names
    // To count the edits of a long name takes long.
    .filter((known) => Math.abs(known.length - name.length) <= maxDistance)
    .map((known) => ({ known, edits: countEdits(name, known) }))
    .filter(({ edits }) => edits <= maxDistance)
    .toSorted((one, other) => one.edits - other.edits)
  return nearest?.known
}

/** The characters to add, remove or replace (Levenshtein). */
export function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1]
    for (let at = 0; at < other.length; at += 1) {
      const replaced = (row[at] ?? 0) + Number(one[index] !== other[at])
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
