import type { Config } from '../config/config.ts'
import { maxIdLength } from '../config/limits.ts'
import { isRoutableId } from '../resources/context.ts'
import { createId } from '../stores/create-id.ts'
import type { Document } from '../stores/records/records.ts'

export interface IdOptions {
  idField: string
  jsonServer?: Config['jsonServer']
}

/** Whether a record without an id gets the next number, and not a UUID: unless all ids are text. */
export function isNumbered(ids: readonly unknown[]): boolean {
  return !ids.some((id) => typeof id === 'string') || ids.some((id) => typeof id === 'number')
}

/** An id that no record can have, or that an earlier one has, is replaced; in a dialect it stays. */
export function toRecords(
  { idField, jsonServer }: IdOptions,
  name: string,
  documents: readonly Document[],
) {
  const create = createIds(documents.map((document) => document[idField]))
  const known = new Map<string, number>()
  const notices: string[] = []
  const records = documents.map((document, index) => {
    const { [idField]: id } = document
    const problem = findIdProblem(id, jsonServer !== undefined)
    const twin = problem === undefined ? known.get(String(id)) : undefined
    if (problem === undefined && twin === undefined) {
      known.set(String(id), index)
      return { id: String(id), document }
    }
    // json-server 1 gives an id to a record without one.
    const isKept = jsonServer === '0.17' || (jsonServer === '1' && id !== undefined)
    const next = isKept ? createId() : create()
    const outcome = isKept ? 'it is only in the list' : `it gets the id ${String(next)}`
    const reason = problem
      ? `: its ${idField} ${problem}`
      : ` has the id ${String(id)} of ${name}[${String(twin)}]`
    if (id !== undefined) notices.push(`${name}[${String(index)}]${reason}: ${outcome}`)
    return { id: String(next), document: isKept ? document : { ...document, [idField]: next } }
  })
  return { records, notices }
}

function createIds(ids: readonly unknown[]): () => string | number {
  if (!isNumbered(ids)) return createId
  const given = new Set(ids.map(String))
  let last = ids.filter(isWhole).reduce((largest, id) => Math.max(largest, id), 0)
  return () => {
    do last += 1
    while (given.has(String(last)) && Number.isSafeInteger(last))
    return last
  }
}

const isWhole = (id: unknown): id is number => Number.isSafeInteger(id)

function findIdProblem(id: unknown, isDialect: boolean): string | undefined {
  if (isWhole(id) || (isDialect && typeof id === 'number')) return undefined
  if (Number.isInteger(id))
    return `is too large: a number is at most ${String(Number.MAX_SAFE_INTEGER)}; write larger ids as text`
  if (typeof id !== 'string') return 'must be text or a whole number'
  if (isRoutableId(id)) return undefined
  return `cannot be part of a path: an id has 1 to ${String(maxIdLength)} characters, none of them a control character, and is not new, post, events, . or .., and does not end in .json, .html, .txt, .csv or .ndjson`
}
