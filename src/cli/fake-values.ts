import type { Faker } from '@faker-js/faker'
import { isDeepStrictEqual } from 'node:util'
import { toPlain, toSampleType, type FieldSchema } from '../http/openapi/json-schema.ts'
import { samplePassword } from '../resources/samples.ts'

const maxDepth = 5
const defaultLength = 200
const smallNumber = 1000

export interface FakeSource {
  faker: Faker
  /** The ids that a field of this name inside an object can have. */
  ids: ReadonlyMap<string, readonly unknown[]>
  isOfPeople: boolean
  depth?: number
}

export function createFake(source: FakeSource, name: string, given: FieldSchema): unknown {
  const schema = toPlain(given)
  const { faker, ids, depth = 0 } = source
  const inside = { ...source, depth: depth + 1 }
  const { enum: choices, default: fallback, items, properties } = schema
  // The schema `false` accepts no value.
  if (isDeepStrictEqual(schema.not, {})) return undefined
  if (choices && choices.length > 0) return faker.helpers.arrayElement([...choices])
  const type = toSampleType(schema)
  const [id] = faker.helpers.arrayElements(ids.get(name) ?? [], 1)
  if (typeof id === (type === 'integer' ? 'number' : type)) return id
  switch (type) {
    case 'string':
      return createText(source, name, schema)
    case 'boolean':
      return faker.datatype.boolean()
    case 'integer':
    case 'number':
      return createNumber(faker, schema, type === 'integer')
    case 'array': {
      const { minItems = 1, maxItems = minItems + 3 } = schema
      if (!items || depth >= maxDepth) return []
      const length = faker.number.int({
        min: Math.min(minItems, maxItems),
        max: Math.min(maxItems, minItems + 3),
      })
      const values = Array.from({ length }, () => createFake(inside, name, items))
      return values.filter((value) => value !== undefined)
    }
    case 'object': {
      const members = Object.entries(depth < maxDepth ? (properties ?? {}) : {})
      const values = members.map(([member, each]) => [member, createFake(inside, member, each)])
      return Object.fromEntries(values.filter(([, value]) => value !== undefined))
    }
    default:
      return fallback ?? null
  }
}

function createNumber(faker: Faker, { minimum, maximum }: FieldSchema, isInteger: boolean) {
  const min = minimum ?? Math.min(0, maximum ?? 0)
  const max = maximum ?? min + smallNumber
  return isInteger
    ? faker.number.int({ min: Math.ceil(min), max: Math.floor(max) })
    : faker.number.float({ min, max, multipleOf: 0.01 })
}

function createText(source: FakeSource, name: string, schema: FieldSchema): string {
  const { faker } = source
  if (schema.writeOnly) return samplePassword
  if (schema.pattern !== undefined)
    return faker.helpers.fromRegExp(schema.pattern.replace(/^\^|\$$/g, ''))
  switch (schema.format) {
    case 'date':
      return faker.date.past().toISOString().slice(0, 10)
    case 'date-time':
      return faker.date.past().toISOString()
    case 'time':
      return faker.date.past().toISOString().slice(11)
    case 'email':
      return faker.internet.exampleEmail().toLowerCase()
    case 'uri':
      return `https://example.org/${faker.lorem.slug()}`
    case 'uuid':
      return faker.string.uuid()
    default:
      return fitLength(faker, createWords(source, name, schema), schema)
  }
}

function createWords(source: FakeSource, name: string, { maxLength = 0 }: FieldSchema): string {
  const { faker, isOfPeople } = source
  if (name === 'name' && !isOfPeople) return faker.commerce.productName()
  if (/name$|^author$/i.test(name)) return faker.person.fullName()
  if (/city$/i.test(name)) return faker.location.city()
  if (/country$/i.test(name)) return faker.location.country()
  if (maxLength > defaultLength) return faker.lorem.paragraphs(2)
  return faker.lorem.sentence({ min: 2, max: 5 }).slice(0, -1)
}

function fitLength(faker: Faker, text: string, { minLength = 0, maxLength }: FieldSchema): string {
  let long = text
  while (long.length < minLength) long += ` ${faker.lorem.word()}`
  return maxLength === undefined ? long : long.slice(0, Math.max(maxLength, minLength))
}
