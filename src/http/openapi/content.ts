import type { Content, Parameter, Schema } from './operation.ts'

const text: Schema = { type: 'string' }

export function textContent(example?: string): Content {
  return { 'text/plain': { schema: text, ...(example !== undefined && { example }) } }
}

export const pageContent: Content = { 'text/html': { schema: text } }

export function jsonContent(schema: Schema, example: unknown): Content {
  return { 'application/json': { schema, example } }
}

/** The same fields as JSON and as a form. */
export function fieldsContent(schema: Schema, example: unknown): Content {
  return {
    ...jsonContent(schema, example),
    'application/x-www-form-urlencoded': { schema: toFormSchema(schema), example },
  }
}

/** A form is always an object; a name in brackets nests there, and an empty one is refused. */
function toFormSchema(schema: Schema): Schema {
  return { type: 'object', allOf: [schema], propertyNames: { pattern: '^[^\\[\\]]+$' } }
}

/** A required object of these properties and no others that matter. */
export function objectSchema<Properties extends Readonly<Record<string, Schema>>>(
  properties: Properties,
) {
  return { type: 'object', required: Object.keys(properties), properties } as const
}

/** A segment of the path that can be any text. */
export function pathParameter(name: string, description: string, example: string): Parameter {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example }
}
