import { hash } from 'node:crypto'
import { formatNumber } from '../../config/format-count.ts'
import { findJson } from '../../config/find-json.ts'
import { maxCursorLength } from '../../config/limits.ts'
import { badParameter } from '../../lists/parameters.ts'
import { isFieldValue, isStorable } from '../../stores/records/records.ts'
import type { Position, RecordQuery } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'

/** Returns undefined if a sort key is too long for a URL. */
export function positionToCursor({ path }: Resource, query: RecordQuery, position: Position) {
  const conditions = query.filters.map((filter) => JSON.stringify(filter)).toSorted()
  const list = JSON.stringify([path, conditions, query.search, query.sort])
  const digest = hash('sha256', list, 'base64url').slice(0, 12)
  const cursor = Buffer.from(JSON.stringify([digest, ...position])).toString('base64url')
  return cursor.length <= maxCursorLength && isPosition(position) ? cursor : undefined
}

/** Throws for a cursor that this list cannot have created, with these filters and this order. */
export function parseCursor(resource: Resource, query: RecordQuery, values: readonly string[]) {
  const [text = ''] = values
  if (text.length > maxCursorLength)
    throw badParameter('after', `must have at most ${formatNumber(maxCursorLength)} characters`)
  const position = values.length === 1 ? decode(text) : undefined
  const isOfList = position?.length === query.sort.length + 2
  // The same text again: the digest is that of this list, and nothing is spelled in another way.
  if (position && isOfList && positionToCursor(resource, query, position) === text) return position
  throw badParameter('after', 'is not a cursor of this list with these filters and this order')
}

function decode(cursor: string): Position | undefined {
  const values = findJson(Buffer.from(cursor, 'base64url').toString())
  const position: unknown[] = Array.isArray(values) ? values.slice(1) : []
  return isPosition(position) ? position : undefined
}

function isPosition(values: readonly unknown[]): values is Position {
  const areStorable = values.every((value) => isFieldValue(value) && isStorable(String(value)))
  return areStorable && values.slice(-2).every((value) => typeof value === 'string')
}
