/** What `json-schema.ts` loads on first use, as a file of its own in the bundle of the package. */
export { Format } from 'typebox/format'
export { Compile } from 'typebox/schema'
export { Settings } from 'typebox/system'
