const maxEdits = 3

/**
 * The name that was probably meant: the only one that continues it with more words, or one of which at most a
 * quarter of the characters differ.
 */
export function findNearest(name: string, names: readonly string[]): string | undefined {
  const [longer, ...others] = names.filter((known) => known.startsWith(`${name}_`))
  if (longer !== undefined && others.length === 0) return longer
  const toMax = (known: string) => Math.min(maxEdits, Math.max(name.length, known.length) / 4)
  const [nearest] = names
    // To count the edits of a long name takes long.
    .filter((known) => Math.abs(known.length - name.length) <= toMax(known))
    .map((known) => ({ known, edits: countEdits(name, known, toMax(known)) }))
    .filter(({ known, edits }) => edits <= toMax(known))
    .toSorted((one, other) => one.edits - other.edits)
  return nearest?.known
}

/**
 * The characters to add, remove, replace or swap with their neighbor (optimal string alignment); infinite if
 * they are more than `max`.
 */
function countEdits(one: string, other: string, max: number): number {
  let before: readonly number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1]
    for (let at = 0; at < other.length; at += 1) {
      const replaced = (row[at] ?? 0) + Number(one[index] !== other[at])
      const isSwapped = one[index] === other[at - 1] && one[index - 1] === other[at]
      const swapped = isSwapped ? (before[at - 1] ?? Infinity) + 1 : Infinity
      next.push(Math.min(replaced, swapped, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    if (row.every((edits) => edits > max) && next.every((edits) => edits > max)) return Infinity
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
