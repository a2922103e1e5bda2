import { createRequire } from 'node:module'
import type { Validator, XSchema } from 'typebox/schema'

const load = createRequire(import.meta.url)

/** Returns the validator of a JSON Schema, compiled on first use: loading the compiler takes 40 ms. */
export function compileLater<const Schema extends XSchema>(schema: Schema) {
  let validator: Validator<Schema> | undefined
  return (): Validator<Schema> => {
    const compile = () => load('typebox/schema') as typeof import('typebox/schema')
    return (validator ??= compile().Compile(schema))
  }
}
