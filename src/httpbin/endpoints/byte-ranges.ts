import type { Pair } from '../../http/security/visitor-response.ts'

export interface Range {
  start: number
  last: number
}

export const toLength = ({ start, last }: Range) => last - start + 1
export const slice = (bytes: Buffer, { start, last }: Range) => bytes.subarray(start, last + 1)

export const toContentRange = ({ start, last }: Range, { length }: Buffer): Pair => [
  'Content-Range',
  `bytes ${String(start)}-${String(last)}/${String(length)}`,
]

export const toUnsatisfied = ({ length }: Buffer): Pair => [
  'Content-Range',
  `bytes */${String(length)}`,
]

/** A number that cannot be read counts as absent. */
export function parsePythonRange(field: string, size: number): Range {
  const [, list = ''] = /^bytes[^=]*=([^=]*)$/.exec(field.trim()) ?? []
  const [start, last] = list
    .split('-')
    .map((text) => (/^\s*\+?\d+\s*$/.test(text) ? Number(text) : undefined))
  if (start !== undefined) return { start, last: last ?? size - 1 }
  return { start: last === undefined ? 0 : Math.max(0, size - last), last: size - 1 }
}

/** Returns the ranges that overlap the content, and undefined for an invalid header. */
export function parseGoRanges(field: string, size: number): Range[] | undefined {
  const [, list] = /^(?:bytes=|$)(.*)/s.exec(field) ?? []
  if (list === undefined) return undefined
  const ranges: Range[] = []
  for (const part of list.split(',').filter((one) => one.trim() !== '')) {
    const [, first, last = ''] = /^(\+?\d+|)\s*-\s*(\+?\d+|)$/.exec(part.trim()) ?? []
    if (first === undefined || first + last === '') return undefined
    if (first === '') ranges.push({ start: Math.max(0, size - Number(last)), last: size - 1 })
    else if (Number(first) >= size) continue
    else if (last !== '' && Number(last) < Number(first)) return undefined
    else ranges.push({ start: Number(first), last: Math.min(Number(last || size), size - 1) })
  }
  return ranges
}
