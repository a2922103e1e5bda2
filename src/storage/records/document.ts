import { StoreFailure } from '../failure.ts'
import type { Document } from './records.ts'

/** The document of this text. Only JSON was ever written: what is none is damage. */
export function parseDocument(text: string): Document {
  try {
    return JSON.parse(text) as Document
  } catch (error) {
    throw new StoreFailure('unavailable', error)
  }
}
