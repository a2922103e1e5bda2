/** Both positions are inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The range of `size` bytes that a Range header selects (RFC 9110 §14.1.2). Undefined for a header to
 * ignore: another unit, malformed, or several ranges, which a server need not support.
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
