const maxResults = 1000
const maxRememberedLength = 300

/** Keeps the results of a pure function: clients send few different values. */
export function remember<Result extends string | boolean | object>(
  compute: (text: string) => Result,
): (text: string) => Result {
  const results = new Map<string, Result>()
  return (text) => {
    if (text.length > maxRememberedLength) return compute(text)
    const known = results.get(text)
    if (known !== undefined) return known
    const result = compute(text)
    if (results.size === maxResults) results.clear()
    results.set(text, result)
    return result
  }
}
