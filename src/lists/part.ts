import { formatNumber } from '../config/format-count.ts'
import { maxPerPage } from '../config/limits.ts'
import type { Slice } from '../stores/records/records.ts'
import { badParameter } from './parameters.ts'

export type ListPart = Slice & { page?: { number: number; size: number } }

export const partNames = ['page', 'per_page', 'after', '_start', '_end']

const defaultPerPage = 20
export const maxPage = Math.floor(Number.MAX_SAFE_INTEGER / maxPerPage)

type QueryTexts = Readonly<Partial<Record<string, readonly string[]>>>

/** A page, or the slice from `_start` to `_end` of json-server; undefined for the whole list. */
export function parsePart(texts: QueryTexts): ListPart | undefined {
  const start = parseCount(texts, '_start', { min: 0 })
  const end = parseCount(texts, '_end', { min: 0 })
  const number = parseCount(texts, 'page', { max: maxPage })
  // A form sends a blank size for the whole list.
  const isBlank = texts.per_page?.join() === ''
  const perPage = isBlank ? undefined : parseCount(texts, 'per_page', { max: maxPerPage })
  if (start !== undefined || end !== undefined) {
    if (number !== undefined) throw badParameter('page', 'excludes _start and _end')
    if (texts.after) throw badParameter('after', 'excludes _start and _end')
    return parseSlice(start ?? 0, end ?? (perPage && (start ?? 0) + perPage))
  }
  if (number === undefined && perPage === undefined && !texts.after) return undefined
  const page = { number: number ?? 1, size: perPage ?? defaultPerPage }
  return { offset: (page.number - 1) * page.size, limit: page.size, page }
}

function parseSlice(start: number, end: number | undefined): Slice {
  if (end === undefined) throw badParameter('_start', 'requires _end or _limit')
  if (end - start > maxPerPage)
    throw badParameter('_end', `must be at most ${formatNumber(maxPerPage)} after _start`)
  return { offset: start, limit: Math.max(0, end - start) }
}

export function parseCount(
  texts: QueryTexts,
  name: string,
  { min = 1, max = Number.MAX_SAFE_INTEGER },
) {
  const values = texts[name]
  if (values === undefined) return undefined
  const [text = ''] = values
  const count = values.length === 1 && /^\d+$/.test(text) ? Number(text) : NaN
  if (count >= min && count <= max) return count
  const range =
    max > 1e9
      ? `of at least ${formatNumber(min)}`
      : `from ${formatNumber(min)} to ${formatNumber(max)}`
  throw badParameter(name, `must be a whole number ${range}`)
}
