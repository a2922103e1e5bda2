import type { Config } from '../../config/config.ts'
import { isObject } from './is-object.ts'
import { badRequest, conflict, contentTooLarge, patchTestFailed } from '../errors/http-error.ts'

export type Operation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string }

export type PatchLimits = Pick<Config, 'maxBodyBytes' | 'maxJsonDepth'>

type Copy = (value: unknown, depth: number) => unknown

/**
 * RFC 6902 §3: returns a patched copy of `document`. Throws 409 for a failed test or a missing path, 413
 * when the added, copied and moved values exceed `maxBodyBytes` together, and 400 for a result nested
 * deeper than `maxJsonDepth`.
 */
export function applyJsonPatch(
  document: unknown,
  operations: readonly Operation[],
  limits: PatchLimits,
): unknown {
  // An operation may replace the whole document, so it gets a parent.
  const root = { document: structuredClone(document) }
  const copy = createCopy(limits)
  for (const operation of operations) {
    if (apply(root, operation, copy)) continue
    const path = toName(operation.path)
    if (operation.op === 'test') throw patchTestFailed(`The test of ${path} failed.`)
    const source = 'from' in operation ? ` from ${toName(operation.from)}` : ''
    throw conflict(`The path of ${operation.op}${source} to ${path} does not exist.`)
  }
  return root.document
}

function toName(pointer: string): string {
  if (pointer === '') return 'the whole record'
  return pointer.length <= 100 ? pointer : `${pointer.slice(0, 100)}…`
}

function apply(root: object, operation: Operation, copy: Copy): boolean {
  const path = parsePointer(operation.path)
  switch (operation.op) {
    case 'test':
      return isEqual(find(root, path), operation.value)
    case 'remove':
      return remove(root, path)
    case 'add':
      return add(root, path, copy(operation.value, path.length))
    case 'replace':
      return remove(root, path) && add(root, path, copy(operation.value, path.length))
    case 'copy':
    case 'move': {
      const from = parsePointer(operation.from)
      const value = find(root, from)
      const isMove = operation.op === 'move'
      // RFC 6902 §4.4: a value cannot be moved into one of its children.
      const isIntoItself = isMove && operation.path.startsWith(`${operation.from}/`)
      if (value === undefined || isIntoItself) return false
      const copied = copy(value, path.length)
      return (!isMove || remove(root, from)) && add(root, path, copied)
    }
  }
}

/** RFC 6901 §4: `~1` is decoded before `~0`, so that `~01` becomes `~1`. */
function parsePointer(pointer: string): string[] {
  const [, ...tokens] = pointer.split('/')
  return ['document', ...tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))]
}

function find(root: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce(findChild, root)
}

function findChild(parent: unknown, token: string): unknown {
  if (Array.isArray(parent)) return isIndex(token) ? (parent[Number(token)] as unknown) : undefined
  // Own members only: no path reaches a prototype.
  return isObject(parent) && Object.hasOwn(parent, token) ? parent[token] : undefined
}

/** RFC 6901 §4: an index has no leading zero. */
function isIndex(token: string): boolean {
  return /^(0|[1-9]\d*)$/.test(token)
}

function remove(root: object, tokens: readonly string[]): boolean {
  const parent = find(root, tokens.slice(0, -1))
  const name = tokens.at(-1) ?? ''
  if (findChild(parent, name) === undefined) return false
  if (Array.isArray(parent)) parent.splice(Number(name), 1)
  else Reflect.deleteProperty(parent as object, name)
  return true
}

function add(root: object, tokens: readonly string[], value: unknown): boolean {
  const parent = find(root, tokens.slice(0, -1))
  const name = tokens.at(-1) ?? ''
  if (Array.isArray(parent)) {
    const index = name === '-' ? parent.length : isIndex(name) ? Number(name) : Infinity
    if (index > parent.length) return false
    parent.splice(index, 0, value)
    return true
  }
  if (!isObject(parent)) return false
  // Assigning to `__proto__` would set the prototype.
  Object.defineProperty(parent, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
  return true
}

/**
 * Counts the bytes of all copied values, as in JSON: repeated `copy` operations would double the document
 * each time.
 */
function createCopy({ maxBodyBytes, maxJsonDepth }: PatchLimits): Copy {
  let bytesLeft = maxBodyBytes
  const count = (length: number) => {
    bytesLeft -= length
    if (bytesLeft >= 0) return
    const limit = String(maxBodyBytes)
    throw contentTooLarge(`The patch adds, copies and moves more than ${limit} bytes.`)
  }
  const copy: Copy = (value, depth) => {
    if (typeof value !== 'object' || value === null) {
      count(typeof value === 'string' ? Buffer.byteLength(value) + 2 : String(value).length)
      return value
    }
    if (depth > maxJsonDepth) {
      throw badRequest(`The patch nests the record deeper than ${String(maxJsonDepth)} levels.`)
    }
    count(2)
    if (Array.isArray(value)) {
      return value.map((item: unknown) => {
        count(1)
        return copy(item, depth + 1)
      })
    }
    const members = Object.entries(value).map(([name, member]) => {
      count(Buffer.byteLength(name) + 4)
      return [name, copy(member, depth + 1)] as const
    })
    // `__proto__` becomes an own member too.
    return Object.fromEntries(members)
  }
  return copy
}

/** RFC 6902 §4.6 */
function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
  }
  if (!isObject(one) || !isObject(other)) return one === other
  const names = Object.keys(other)
  return (
    Object.keys(one).length === names.length &&
    names.every((name) => Object.hasOwn(one, name) && isEqual(one[name], other[name]))
  )
}
