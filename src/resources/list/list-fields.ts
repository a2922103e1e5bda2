import { maxUnknownNames } from '../../config/limits.ts'
import type { ListField, ListFields } from '../../lists/fields.ts'
import type { Resource } from '../definition.ts'
import { jsonTypes, toTypes, type FieldSchema } from '../../http/openapi/json-schema.ts'

interface ResourceField extends ListField {
  /** False for a member that the schema of its object does not name. */
  isDeclared: boolean
}

export function resourceToListFields(resource: Resource): ListFields {
  const own = ['page', 'per_page', 'sort', 'q', 'fields', 'after']
  return {
    find: (name) => findListField(resource, name),
    names: resource.visible.map(({ name }) => name),
    // Only resources of a data file have relations.
    others: resource.storesId ? [...own, 'embed'] : own,
  }
}

export function findListField({ visible }: Resource, name: string): ResourceField | undefined {
  const fields = visible.map(({ name: own, schema }) => [own, schema] as const)
  const found = findMember(fields, name)
  if (found === undefined || name.includes('\0') || !name.isWellFormed()) return undefined
  const [first = '', ...inside] = found.path
  const field = visible.find((known) => known.name === first)
  const path = inside.length === 0 ? (field?.path ?? first) : found.path
  const schema = field?.isInferred ? withNull(found.schema) : found.schema
  return {
    path,
    label: [field?.label ?? first, ...inside].join('.'),
    types: toTypes(schema),
    elementTypes: toTypes(schema.items ?? {}),
    isTime: path === 'createdAt' || path === 'updatedAt',
    isDate: inside.length === 0 && field?.kind.startsWith('date') === true,
    isDeclared: found.isDeclared,
  }
}

/** Without a rule of the user a value can be null, also if the data file has none in this field. */
function withNull({ items, ...schema }: FieldSchema): FieldSchema {
  const type = jsonTypes.filter((each) => each === 'null' || toTypes(schema).includes(each))
  return { ...schema, type, ...(items && { items: withNull(items) }) }
}

interface ListMember {
  path: string[]
  schema: FieldSchema
  isDeclared: boolean
}

function findMember(known: readonly (readonly [string, FieldSchema])[], name: string) {
  const exact = known.find(([own]) => own === name)
  if (exact) return { path: [name], schema: exact[1], isDeclared: true }
  // The longest matching name wins.
  const parents = known.filter(([own]) => name.startsWith(`${own}.`))
  for (const [parent, schema] of parents.toSorted(([one], [other]) => other.length - one.length)) {
    const inside = findInside(schema, name.slice(parent.length + 1))
    if (inside) return { ...inside, path: [parent, ...inside.path] }
  }
  return undefined
}

function findInside(
  { type = 'object', properties = {}, additionalProperties = true }: FieldSchema,
  name: string,
): ListMember | undefined {
  if (![type].flat().includes('object')) return undefined
  const known = findMember(Object.entries(properties), name)
  const isInKnown = Object.keys(properties).some((parent) => name.startsWith(`${parent}.`))
  if (known || isInKnown || additionalProperties === false) return known
  // A colon begins an operator, and a comma another field.
  const path = /[:,]/.test(name) ? [] : name.split('.', maxUnknownNames + 1)
  if (path.length === 0 || path.length > maxUnknownNames || path.includes('')) return undefined
  const schema = additionalProperties === true ? {} : additionalProperties
  return { path, schema, isDeclared: false }
}
