import type { XStatic } from 'typebox/schema'
import { isObject } from '../../config/is-object.ts'
import { maxPatchOperations } from '../../config/limits.ts'
import { compileLater } from './json-schema.ts'
import { invalidPatch } from '../errors/http-error.ts'

/** RFC 6901 §4: `~1` is decoded before `~0`, so that `~01` becomes `~1`. */
export function parsePointer(pointer: string): readonly string[] {
  return pointer.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const members = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name)
    else members.set(name, applyMergePatch(members.get(name), value))
  }
  return Object.fromEntries(members)
}

/** As in the JSON of other bodies, no member may have a name that sets a prototype. */
const pointer = {
  type: 'string',
  format: 'json-pointer',
  pattern: '^(/(?!(__proto__|constructor/prototype)(/|$))([^~/]|~[01])*)*$',
} as const

export const jsonPatchSchema = {
  type: 'array',
  maxItems: maxPatchOperations,
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

export type PatchOperation = XStatic<typeof jsonPatchSchema>[number]

const getPatchValidator = compileLater(jsonPatchSchema)

export function parseJsonPatch(value: unknown): readonly PatchOperation[] {
  if (getPatchValidator().Check(value)) return value
  if (!Array.isArray(value) || value.length > maxPatchOperations) {
    const limit = String(maxPatchOperations)
    throw invalidPatch(`A JSON Patch must be an array of at most ${limit} operations (RFC 6902).`)
  }
  const index = value.findIndex((operation) => !getPatchValidator().Check([operation]))
  throw invalidPatch(
    `Operation ${String(index)} is invalid. op must be add, remove, replace, move, copy or test; path and from must be JSON Pointers, without __proto__; add, replace and test need a value (RFC 6902).`,
  )
}
