import { decodePath } from '../http/request/target.ts'
import { html } from '../site/html.ts'
import { mask } from './mask.ts'

/** How many secrets of an exchange are looked for in a body. Each search reads the whole body. */
const countSearched = 300
/** Shorter secrets are not looked for: they would be found in most bodies. */
const minLength = 6

/** What is masked in `masked`, where `source` has it. */
export function findMasked(source: string, masked: string): readonly string[] {
  const [first = '', ...pieces] = masked.split(mask)
  if (!source.startsWith(first)) return []
  const found: string[] = []
  let at = first.length
  for (const piece of pieces.slice(0, countSearched)) {
    const end = piece === '' ? source.length : source.indexOf(piece, at)
    if (end === -1) break
    found.push(source.slice(at, end))
    at = end + piece.length
  }
  return found
}

/** Many responses have a part of their request: masks its secrets there too. */
export function maskEcho(text: string, secrets: readonly string[]): string {
  const long = new Set(secrets.filter(({ length }) => length >= minLength))
  const forms = [...long].slice(0, countSearched).flatMap(toForms)
  return [...new Set(forms)]
    .filter(({ length }) => length >= minLength)
    .toSorted((one, other) => other.length - one.length)
    .slice(0, countSearched)
    .reduce((masked, secret) => masked.replaceAll(secret, mask), text)
}

/** `Bearer a` has `a`, and `a=b; c=d` has `b` and `d`. */
function toForms(secret: string): readonly string[] {
  const values = secret.split(/; */).map((pair) => pair.slice(pair.indexOf('=') + 1))
  const decoded = decodePath(secret.replaceAll('+', ' ')) ?? secret
  const plain = [secret, secret.replace(/^\w+ +/, ''), ...values, decoded]
  return plain.flatMap((one) => [one, html`${one}`.markup, JSON.stringify(one).slice(1, -1)])
}
