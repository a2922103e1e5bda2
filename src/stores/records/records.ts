import type { XStatic } from 'typebox/schema'
import { isObject } from '../../config/is-object.ts'
import { collectionNames } from '../collection-names.ts'
import { isOfPlace } from '../sandboxes/places.ts'

export type Document = Readonly<Record<string, unknown>>

export interface DocumentSchema {
  type: string
  enum?: readonly unknown[]
  required?: readonly string[]
  properties?: Readonly<Record<string, DocumentSchema>>
  additionalProperties?: DocumentSchema
}

/** A restore checks formats and limits too: here they would cost the compilation of a schema. */
export function hasTypes<const Schema extends DocumentSchema>(
  value: unknown,
  { type, enum: choices = [value], required = [], properties = {}, ...others }: Schema,
): value is XStatic<Schema> {
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type !== 'object') return typeof value === type && choices.includes(value)
  if (!isObject(value) || required.some((name) => value[name] === undefined)) return false
  return Object.entries(value).every(([name, member]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : others.additionalProperties
    // An undefined member is absent once it is stored.
    return member === undefined || schema === undefined || hasTypes(member, schema)
  })
}

export const idPattern = '[A-Za-z0-9_-]{1,64}'

export const idSchema = { type: 'string', pattern: `^${idPattern}$` } as const
const idFormat = new RegExp(idSchema.pattern)
export const isId = (text: string) => idFormat.test(text)

export const timeSchema = {
  type: 'string',
  pattern:
    '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$',
} as const
export const textSchema = { type: 'string' } as const

export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

export interface StoredRecord {
  id: string
  document: Document
  version: number
  /** ISO 8601 in UTC, with milliseconds. */
  createdAt: string
  updatedAt: string
}

export type TextOperator = 'contains' | 'startsWith' | 'endsWith'

export function isOfText(operator: string): operator is TextOperator {
  return ['contains', 'startsWith', 'endsWith'].includes(operator)
}

export type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | TextOperator

/** The name of a field or the path to it. The names `_id`, `createdAt`, `updatedAt` are the record's own; a path is always of the document. */
export type FieldPath = string | readonly string[]

export type FieldValue = string | number | boolean | null

export interface Filter {
  field: FieldPath
  operator: Operator
  /** One must match; with `ne` none may be equal. `lt` to `gte` match values of the same type. */
  values: readonly FieldValue[]
  /** A list that has one of these matches `contains` too. */
  elements?: readonly FieldValue[]
}

export interface SortTerm {
  field: FieldPath
  isDescending: boolean
}

export interface RecordQuery {
  filters: readonly Filter[]
  search?: { text: string; fields: readonly FieldPath[] }
  /** Equal records are in the order of `createdAt` and `_id`, in the direction of the first term. */
  sort: readonly SortTerm[]
  isCancelled?: () => boolean
}

export const allRecords: RecordQuery = { filters: [], sort: [] }

/** The values of a record that its place in a list depends on; `createdAt` and `_id` are the last. */
export type Position = readonly FieldValue[]

export function toPositionFields({ sort }: RecordQuery): FieldPath[] {
  return [...sort.map(({ field }) => field), 'createdAt', '_id']
}

export function toPosition(query: RecordQuery, record: StoredRecord): Position {
  return toPositionFields(query).map((field) => {
    const value = findField(record, field)
    return isFieldValue(value) ? value : null
  })
}

export function findField(record: StoredRecord, field: FieldPath): unknown {
  if (field === '_id') return record.id
  const isOwn = field === 'createdAt' || field === 'updatedAt'
  return isOwn ? record[field] : findAt(record.document, field)
}

/** The own member at the path; null without it. */
export function findAt(value: unknown, path: FieldPath): unknown {
  return typeof path === 'string' ? findMember(value, path) : path.reduce(findMember, value)
}

function findMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : null
}

export function isFieldValue(value: unknown): value is FieldValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

export interface Slice {
  /** It is not used with `after`, which finds later records at no greater cost. */
  offset: number
  limit: number
  after?: Position | undefined
}

export type RecordPages = AsyncIterable<readonly StoredRecord[]>

/** A part of a write of several records, or a condition of it. */
export type WriteStep = { collection: string } & (RecordStep | MatchStep)

export type RecordStep =
  | { kind: 'create'; records: readonly NewRecord[] }
  | { kind: 'change'; records: readonly ChangedRecord[] }
  | { kind: 'remove'; records: readonly RecordVersion[] }
  /** These records exist, and are not removed before the write ends. Each id is named once. */
  | { kind: 'exist'; ids: readonly string[] }
  /** Removes all records of the collection and creates these, without logging each. */
  | { kind: 'replace'; records: readonly NewRecord[] }

/** No record matches. Of concurrent writes with the same first filter, each waits for the one before. */
export interface MatchStep {
  kind: 'none'
  filters: readonly Filter[]
}

export type NewRecord = Pick<StoredRecord, 'id' | 'document' | 'createdAt'>
export type ChangedRecord = Omit<StoredRecord, 'createdAt'>
export type RecordVersion = Pick<StoredRecord, 'id'> & { version?: number | undefined }

export interface Records {
  collection: (name: string) => Collection
  /** All steps in their order, or nothing: then the index of the first step that failed. */
  commit: (steps: readonly WriteStep[]) => Promise<number | undefined>
  changes: ChangeLog
  counts: () => Promise<(readonly [collection: string, count: number])[]>
  /** In bytes. */
  measureDatabase: () => Promise<number>
  /** The bytes of the files of a collection, by the sizes in its records, all of which are read. */
  measureFiles: (collection: string) => Promise<number>
}

export const changeKinds = ['created', 'changed', 'deleted'] as const
export type ChangeKind = (typeof changeKinds)[number]

export interface Change {
  /** Grows by one with each change of the collection. */
  number: number
  kind: ChangeKind
  id: string
  /** The record is that after the change, and undefined if it is deleted. */
  record: StoredRecord | undefined
}

export interface ChangePart {
  /** The oldest change comes first. */
  changes: readonly Change[]
  /** The number to read on from. */
  last: number
  /** Whether the changes up to `last` are not known: all records may differ. */
  hasGap: boolean
}

/** Changes of the records of some collections, written in the transaction of the record. */
export interface ChangeLog {
  /** From now on this process logs the changes of the collection. */
  start: (collection: string) => Promise<void>
  /** Reads some of the changes after this number, and without a number only the last one. */
  read: (collection: string, after?: number) => Promise<ChangePart>
  /** Leaves a gap after writes that were not logged. */
  skip: (collection: string) => Promise<void>
  /** Calls `wake` soon after a change by any process, and at other times. Returns what stops it. */
  watch: (wake: () => void) => () => void
}

/** Methods throw a `StoreFailure`. A write is atomic, and permanent when its promise resolves. */
export interface Collection {
  /** Can be synchronous. Returning the same object again means that the record has not changed. */
  find: (id: string) => StoredRecord | undefined | Promise<StoredRecord | undefined>
  /** False when the id is taken. Throws `full` at the maximum number of records. */
  create: (record: NewRecord) => Promise<boolean>
  change: (record: ChangedRecord) => Promise<boolean>
  /** False when there is no such record, or it has another version than the given one. */
  remove: (id: string, version?: number) => Promise<boolean>
  clear: () => Promise<number>
  index: (fields: readonly FieldPath[]) => Promise<void>
  /** Returns a larger number after every write to the collection, and after all of another process. Unset where the store would need a query for it. */
  state?: () => number | Promise<number>
  list: (query: RecordQuery, part: Slice) => Promise<readonly StoredRecord[]>
  count: (query?: RecordQuery) => Promise<number>
  pages: (query?: RecordQuery) => RecordPages
  /** The collection of the sandbox of the request: a cache can have it as a key. To write, it is stored first. */
  ofScope?: (isToWrite?: boolean) => Collection | Promise<Collection>
}

export function openOnce<Value>(open: (name: string) => Value): (name: string) => Value {
  const values = new Map<string, Value>()
  return (name) => {
    const value = values.get(name) ?? open(name)
    // There can be any number of sandboxes.
    if (!isOfPlace(name)) values.set(name, value)
    return value
  }
}

export interface RecordLimits {
  maxRecords?: number | undefined
  maxSandboxes?: number | undefined
}

/** Ended sandboxes are not limited: otherwise none could end. */
export function toMaxRecords(collection: string, limits: RecordLimits): number | undefined {
  if (collection === collectionNames.endedSandboxes) return undefined
  return collection === collectionNames.sandboxes ? limits.maxSandboxes : limits.maxRecords
}

export const recordsPerStep = 500

export async function clearInSteps(removeSome: () => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const removed = await removeSome()
    total += removed
    if (removed < recordsPerStep) return total
  }
}
