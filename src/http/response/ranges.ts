/** RFC 9110 §14.1.2; `end` is inclusive. Undefined for a header to ignore, as one with several ranges. */
export function parseRange(field = '', size: number) {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(field) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  const length = Number(last)
  if (first === '') {
    const isEmpty = length === 0 || size === 0
    return isEmpty ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 }
  }
  const start = Number(first)
  if (last !== '' && length < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size - 1 : Math.min(length, size - 1) }
}
