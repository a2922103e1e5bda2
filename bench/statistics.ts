export interface Summary {
  median: number
  lowest: number
  highest: number
}

/** All NaN without values. */
export function summarize(numbers: readonly number[]): Summary {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [below = NaN, above = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return { median: (below + above) / 2, lowest: sorted[0] ?? NaN, highest: sorted.at(-1) ?? NaN }
}

/** The ratios of two lists, round by round. */
export function divide(own: readonly number[], limit: readonly number[]): number[] {
  return own.map((number, round) => number / (limit[round] ?? NaN))
}
