/** Positions of bytes, both inclusive as in Content-Range. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The one range that a Range field asks of `size` bytes (RFC 9110 §14.1.2). Undefined when the field
 * is to be ignored: another unit, malformed, or several ranges, which a server need not serve.
 */
export function parseRange(
  field: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(field ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Number(last)
    if (length === 0 || size === 0) return 'unsatisfiable'
    return { start: Math.max(0, size - length), end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start < size ? { start, end } : 'unsatisfiable'
}
