import { isObject } from '../../config/is-object.ts'
import type { Content, Parameter, Schema } from './operation.ts'

export const text = { type: 'string' } as const
export const url = { type: 'string', format: 'uri-reference' } as const

export function textContent(example?: string): Content {
  return { 'text/plain': { schema: text, ...(example !== undefined && { example }) } }
}

export const pageContent: Content = { 'text/html': { schema: text } }

export function jsonContent(schema: Schema, example: unknown): Content {
  return { 'application/json': { schema, example } }
}

export function exampleContent(example: unknown, properties = {}): Content {
  return jsonContent(toSchema(example, properties), example)
}

export function toSchema(example: unknown, known = {}): Schema {
  if (Array.isArray(example)) return { type: 'array', items: toSchema(example[0]) }
  if (!isObject(example)) return example === undefined ? {} : { type: typeof example }
  const derived = Object.entries(example).map(([name, value]) => [name, toSchema(value)] as const)
  const properties = { ...Object.fromEntries(derived), ...known }
  return { type: 'object', required: Object.keys(example), properties }
}

/** A form is always an object. Brackets in a name nest, and an empty name gets 400. */
export const fieldNames = { pattern: '^[^\\[\\]]+$' }

export function fieldsContent(schema: Schema, example: unknown): Content {
  const form = { schema: { type: 'object', allOf: [schema], propertyNames: fieldNames }, example }
  return { ...jsonContent(schema, example), 'application/x-www-form-urlencoded': form }
}

export function objectSchema<Properties extends Record<string, Schema>>(properties: Properties) {
  return { type: 'object', required: Object.keys(properties), properties } as const
}

type About = readonly [description: string, example?: unknown, schema?: Schema]

export function queryParameter(
  name: string,
  [description, example, schema = text]: About,
): Parameter {
  return { name, in: 'query', description, schema, example }
}

/** A form sends its empty fields too. */
export function orEmpty(parameter: Parameter): Parameter {
  return { ...parameter, allowEmptyValue: true }
}

export function queryParameters(all: Readonly<Record<string, About>>): Parameter[] {
  return Object.entries(all).map(([name, about]) => queryParameter(name, about))
}

export function pathParameter(name: string, description: string, example: string): Parameter {
  return { name, in: 'path', required: true, description, schema: text, example }
}
