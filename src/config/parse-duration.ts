const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
}
const units = Object.keys(unitSeconds).join('|')

/** Returns the seconds of a duration as Go writes it: `1m30s`. */
export function parseGoDuration(text: string): number | undefined {
  if (!new RegExp(`^[+-]?((\\d+(\\.\\d*)?|\\.\\d+)(${units}))+$`).test(text)) return undefined
  const parts = text.matchAll(new RegExp(`([\\d.]+)(${units})`, 'g'))
  const sum = parts.reduce(
    (total, [, digits, unit = '']) => total + Number(digits) * (unitSeconds[unit] ?? 0),
    0,
  )
  return text.startsWith('-') ? -sum : sum
}

export function duration(given: string): number {
  const seconds = parseGoDuration(given) ?? (/^[\d.]+$/.test(given) ? Number(given) : NaN)
  if (seconds > 0 && seconds <= 3600) return seconds
  throw new Error('a number of seconds up to 3600, or a duration such as 1m30s')
}
