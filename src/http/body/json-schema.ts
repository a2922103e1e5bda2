import { createRequire } from 'node:module'
import type { Validator, XSchema } from 'typebox/schema'

const load = createRequire(import.meta.url)

/**
 * Makes a function that gives the validator of a JSON Schema. It is compiled by the first content to
 * be validated, which waits some 40 ms for it: to load what compiles is a twelfth of a start.
 */
export function compileLater<const Schema extends XSchema>(
  schema: Schema,
): () => Validator<Schema> {
  let validator: Validator<Schema> | undefined
  return () => {
    if (validator) return validator
    const { Compile } = load('typebox/schema') as typeof import('typebox/schema')
    return (validator = Compile(schema))
  }
}
