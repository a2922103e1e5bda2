import { hash } from 'node:crypto'

/** A number from 0 to 1, always the same for one text. */
export function toFraction(text: string): number {
  return parseInt(hash('sha256', text).slice(0, 12), 16) / 16 ** 12
}
