import { formatNumber } from '../../config/format-count.ts'
import { isObject } from '../../config/is-object.ts'
import type { Config } from '../../config/config.ts'
import { assertDepth } from './parse-json.ts'
import { parsePointer, type PatchOperation } from './patch.ts'
import { conflict, contentTooLarge, HttpError, invalidPatch } from '../errors/http-error.ts'

export type PatchLimits = Pick<Config, 'maxBodyBytes' | 'maxJsonDepth'>

type Path = readonly string[]
type Copy = (value: unknown, path: Path) => unknown

/** RFC 6902 §3: returns a patched copy. Throws 409, 413, and 400 for deep nesting. */
export function applyJsonPatch(
  document: unknown,
  operations: readonly PatchOperation[],
  limits: PatchLimits,
): unknown {
  // An operation may replace the whole document, so it gets a parent.
  const root = { document: structuredClone(document) }
  const copy = createCopy(limits)
  for (const operation of operations) {
    if (apply(root, operation, copy)) continue
    const path = toMemberName(operation.path)
    if (operation.op === 'test')
      throw new HttpError('patch-test-failed', `The test of ${path} failed.`)
    const source = 'from' in operation ? `${toMemberName(operation.from)} or ` : ''
    throw conflict(`${operation.op}: the path ${source}${path} does not exist.`)
  }
  return root.document
}

const toMemberName = (pointer: string) => pointer.slice(0, 100) || 'the whole record'

/** Repeated `copy` operations would double the document each time. */
function createCopy({ maxBodyBytes, maxJsonDepth }: PatchLimits): Copy {
  const detail = `The patch adds, copies and moves more than ${formatNumber(maxBodyBytes)} bytes (MAX_BODY_BYTES).`
  let bytesLeft = maxBodyBytes
  return (value, path) => {
    const json = JSON.stringify(value)
    bytesLeft -= Buffer.byteLength(json)
    if (bytesLeft < 0) throw contentTooLarge(detail)
    if (path.at(-1) === 'constructor' && findChild(value, 'prototype') !== undefined)
      throw invalidPatch('A member constructor must not have a member prototype.')
    assertDepth(json, maxJsonDepth, path.length - 1)
    return structuredClone(value)
  }
}

function apply(root: object, operation: PatchOperation, copy: Copy): boolean {
  const path = parsePointer(`document${operation.path}`)
  switch (operation.op) {
    case 'test':
      return isEqual(path.reduce<unknown>(findChild, root), operation.value)
    case 'remove':
      return removeValue(root, path)
    case 'add':
      return addValue(root, path, copy(operation.value, path))
    case 'replace':
      return removeValue(root, path) && addValue(root, path, copy(operation.value, path))
    case 'copy':
    case 'move': {
      const from = parsePointer(`document${operation.from}`)
      const value = from.reduce<unknown>(findChild, root)
      const isMove = operation.op === 'move'
      const isIntoItself = isMove && operation.path.startsWith(`${operation.from}/`)
      if (value === undefined || isIntoItself) return false
      const copied = copy(value, path)
      return (!isMove || removeValue(root, from)) && addValue(root, path, copied)
    }
  }
}

function findChild(parent: unknown, name: string): unknown {
  if (Array.isArray(parent)) {
    const items: readonly unknown[] = parent
    return isIndex(name) ? items[Number(name)] : undefined
  }
  // Only own members are looked at: no path reaches a prototype.
  return isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined
}

const isIndex = (name: string): boolean => /^(0|[1-9]\d*)$/.test(name)

function removeValue(root: object, path: Path): boolean {
  const parent = path.slice(0, -1).reduce<unknown>(findChild, root)
  const name = path.at(-1) ?? ''
  if (findChild(parent, name) === undefined) return false
  if (Array.isArray(parent)) parent.splice(Number(name), 1)
  else if (isObject(parent)) Reflect.deleteProperty(parent, name)
  return true
}

function addValue(root: object, path: Path, value: unknown): boolean {
  const parent = path.slice(0, -1).reduce<unknown>(findChild, root)
  const name = path.at(-1) ?? ''
  if (Array.isArray(parent)) {
    const index = name === '-' ? parent.length : isIndex(name) ? Number(name) : Infinity
    if (index > parent.length) return false
    parent.splice(index, 0, value)
    return true
  }
  // Assigning to `__proto__` would set the prototype.
  const member = { value, configurable: true, enumerable: true, writable: true }
  return isObject(parent) && Reflect.defineProperty(parent, name, member)
}

function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other
  const members = Object.entries(one)
  return (
    Array.isArray(one) === Array.isArray(other) &&
    members.length === Object.keys(other).length &&
    members.every(([name, value]) => isEqual(value, findChild(other, name)))
  )
}
