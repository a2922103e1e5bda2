import { createRequire } from 'node:module'
import type { Validator, XSchema } from 'typebox/schema'

interface Modules {
  'typebox/format': typeof import('typebox/format')
  'typebox/schema': typeof import('typebox/schema')
  'typebox/system': typeof import('typebox/system')
}

const load: <Name extends keyof Modules>(name: Name) => Modules[Name] = createRequire(
  import.meta.url,
)

/** Returns the validator of a JSON Schema, compiled on first use: loading the compiler takes 40 ms. */
export function compileLater<const Schema extends XSchema>(schema: Schema) {
  let validator: Validator<Schema> | undefined
  return (): Validator<Schema> => {
    return (validator ??= openCompiler().Compile(schema))
  }
}

function openCompiler() {
  const { Settings } = load('typebox/system')
  // By default, a validation ends after 8 errors: a form with more invalid fields would not name them all.
  Settings.Set({ maxErrors: 100 })
  return load('typebox/schema')
}

export const openFormats = (): Modules['typebox/format']['Format'] => load('typebox/format').Format
