import { applyPatch, type Operation } from 'rfc6902'
import { compileLater } from './json-schema.ts'
import { conflict, invalidPatch, patchTestFailed } from './refusal.ts'

/** RFC 7396 §2: what `patch` makes of `target`, which stays as it is. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- null removes, by name
    if (value === null) delete result[name]
    else result[name] = applyMergePatch(result[name], value)
  }
  return result
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const maxOperations = 100

// RFC 6901 §3
const pointer = {
  type: 'string',
  format: 'json-pointer',
  pattern: '^(/([^~/]|~[01])*)*$',
} as const

/** A JSON Patch as a schema: RFC 6902 §4. What else is in an operation is passed over. */
export const jsonPatchSchema = {
  type: 'array',
  maxItems: maxOperations,
  items: {
    anyOf: [
      {
        type: 'object',
        required: ['op', 'path', 'value'],
        properties: { op: { enum: ['add', 'replace', 'test'] }, path: pointer, value: {} },
      },
      {
        type: 'object',
        required: ['op', 'path'],
        properties: { op: { const: 'remove' }, path: pointer },
      },
      {
        type: 'object',
        required: ['op', 'from', 'path'],
        properties: { op: { enum: ['move', 'copy'] }, from: pointer, path: pointer },
      },
    ],
  },
} as const

const jsonPatch = compileLater(jsonPatchSchema)

/** The operations of a JSON Patch. Throws 400 for what is none. */
export function parseJsonPatch(value: unknown): readonly Operation[] {
  if (jsonPatch().Check(value)) return value
  throw invalidPatch(
    `A JSON Patch is a list of at most ${String(maxOperations)} operations with op, path, and value or from as RFC 6902 has them.`,
  )
}

/**
 * RFC 6902 §3: what the operations make of `document`, which stays as it is. Throws 409 when one of
 * them fails, a test or a path where there is nothing, and then none counts.
 */
export function applyJsonPatch(document: unknown, operations: readonly Operation[]): unknown {
  // A root of our own, since an operation may name the whole document.
  const root = { document: structuredClone(document) }
  for (const operation of operations) {
    const isOdd = [operation.path, 'from' in operation ? operation.from : ''].some(isOfPrototype)
    if (isOdd) throw conflict(`${operation.op} finds nothing there.`)
    const [error] = applyPatch(root, [toBelowRoot(operation)])
    if (error?.name === 'TestError') {
      throw patchTestFailed(`The test of ${toName(operation.path)} fails.`)
    }
    if (error) throw conflict(`${operation.op} finds nothing at ${toName(operation.path)}.`)
  }
  return root.document
}

/** The library passes over these names in a path, and so would change something else. */
function isOfPrototype(path: string): boolean {
  return /\/(__proto__|constructor|prototype)(\/|$)/.test(path)
}

function toBelowRoot(operation: Operation): Operation {
  const below = { ...operation, path: `/document${operation.path}` }
  return 'from' in operation
    ? ({ ...below, from: `/document${operation.from}` } as Operation)
    : below
}

function toName(path: string): string {
  return path === '' ? 'the whole record' : path
}
