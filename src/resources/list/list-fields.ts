import type { Field as FieldPath } from '../../stores/records/records.ts'
import type { FieldSchema, Resource } from '../definition.ts'

/** A field that a list can be filtered and sorted by. */
export interface ListField {
  path: FieldPath
  schema: FieldSchema
  label: string
  /** False for a member that the schema of its object does not name. */
  isDeclared: boolean
}

const ownFields: Readonly<Record<string, ListField>> = {
  _id: { path: '_id', schema: { type: 'string' }, label: 'Id', isDeclared: true },
  createdAt: {
    path: 'createdAt',
    schema: { type: 'string', format: 'date-time' },
    label: 'Created',
    isDeclared: true,
  },
  updatedAt: {
    path: 'updatedAt',
    schema: { type: 'string', format: 'date-time' },
    label: 'Updated',
    isDeclared: true,
  },
}

/** The names of what clients may see of a record, in the order in which it is shown. */
export function toVisibleFields({ fields }: Resource): string[] {
  const visible = fields.filter(({ kind }) => kind !== 'password')
  return ['_id', ...visible.map(({ name }) => name), 'createdAt', 'updatedAt']
}

/**
 * The field with this name, or at the end of this path, as `address.city`. A field whose name has a
 * dot is found by its name first. Undefined for a password, too.
 */
export function findListField({ fields }: Resource, name: string): ListField | undefined {
  if (Object.hasOwn(ownFields, name)) return ownFields[name]
  const visible = fields.filter(({ kind }) => kind !== 'password')
  const schemas = Object.fromEntries(visible.map((field) => [field.name, field.schema]))
  const found = findMember(schemas, name)
  // No record has such a name.
  if (found === undefined || name.includes('\0') || !name.isWellFormed()) return undefined
  const { path, schema, isDeclared } = found
  const [first = '', ...inside] = path
  const label = visible.find((field) => field.name === first)?.label ?? first
  return {
    path: inside.length === 0 ? first : path,
    schema,
    isDeclared,
    label: [label, ...inside].join('.'),
  }
}

interface Member extends Pick<ListField, 'schema' | 'isDeclared'> {
  path: string[]
}

function findMember(
  schemas: Readonly<Record<string, FieldSchema>>,
  name: string,
): Member | undefined {
  const own = Object.entries(schemas)
  const exact = own.find(([known]) => known === name)
  if (exact) return { path: [name], schema: exact[1], isDeclared: true }
  // Of two names with dots the longer one is meant.
  const parents = own.filter(([known]) => name.startsWith(`${known}.`))
  for (const [parent, schema] of parents.toSorted(([one], [other]) => other.length - one.length)) {
    const inside = findInside(schema, name.slice(parent.length + 1))
    if (inside) return { ...inside, path: [parent, ...inside.path] }
  }
  return undefined
}

/** More would make statements of any length. */
const maxUnknownNames = 16

function findInside(
  { type = 'object', properties = {}, additionalProperties = true }: FieldSchema,
  name: string,
): Member | undefined {
  if (![type].flat().includes('object')) return undefined
  const known = findMember(properties, name)
  const isInKnown = Object.keys(properties).some((parent) => name.startsWith(`${parent}.`))
  if (known || isInKnown || additionalProperties === false) return known
  // A colon begins an operator, and a comma another field.
  const path = /[:,]/.test(name) ? [] : name.split('.', maxUnknownNames + 1)
  if (path.length === 0 || path.length > maxUnknownNames || path.includes('')) return undefined
  const schema = additionalProperties === true ? {} : additionalProperties
  return { path, schema, isDeclared: false }
}
