import { createRequire } from 'node:module'
import { extname } from 'node:path'
import type { Validator, XSchema } from 'typebox/schema'

type Compiler = typeof import('./compiler.ts')

const require = createRequire(import.meta.url)
// `require` returns the exports of an ES module (Node 22.12), and the bundle has this file under the same name.
const loadCompiler = () => require(`./compiler${extname(import.meta.filename)}`) as Compiler

/** Returns the validator of a JSON Schema, compiled on first use: loading the compiler takes 40 ms. */
export function compileLater<const Schema extends XSchema>(schema: Schema) {
  let validator: Validator<Schema> | undefined
  return (): Validator<Schema> => {
    return (validator ??= openCompiler()(schema))
  }
}

function openCompiler(): Compiler['Compile'] {
  const { Compile, Settings } = loadCompiler()
  // By default, a validation ends after 8 errors: a form with more invalid fields would not name them all.
  Settings.Set({ maxErrors: 100 })
  return Compile
}

export const openFormats = (): Compiler['Format'] => loadCompiler().Format
