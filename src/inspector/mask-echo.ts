import { maxSearchLength } from '../http/request/parameters.ts'
import { decodePath } from '../http/request/target.ts'
import { html } from '../site/html.ts'
import { mask } from './mask.ts'

/** To look for one in a body of 64 KiB takes up to a millisecond. */
const maxForms = 150
/** Shorter ones are in most bodies. */
const minLength = 3
/** Others are looked for as whole words. */
const minPartLength = 6

/** What is masked in `masked`, where `source` has it. */
export function findMasked(source: string, masked: string): readonly string[] {
  const [first = '', ...pieces] = masked.split(mask)
  if (!source.startsWith(first)) return []
  const found: string[] = []
  let at = first.length
  for (const piece of pieces) {
    const end = piece === '' ? source.length : source.indexOf(piece, at)
    if (end === -1) break
    found.push(source.slice(at, end))
    at = end + piece.length
  }
  return found
}

/** Many responses have a part of their request: masks its secrets there too, or all if they are too many. */
export function maskEcho(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.flatMap(toForms).filter(({ length }) => length >= minLength))
  if (forms.size > maxForms) return mask
  return [...forms].toSorted((one, other) => other.length - one.length).reduce(maskSecret, text)
}

function maskSecret(text: string, secret: string): string {
  if (secret.length < minPartLength)
    return text.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(secret)}(?!\\w)`, 'g'), mask)
  return secret.length <= maxSearchLength ? text.replaceAll(secret, mask) : maskLong(text, secret)
}

/** In linear time (Knuth, Morris and Pratt). `replaceAll` can take the product of the two lengths. */
function maskLong(text: string, secret: string): string {
  const borders = toBorders(secret)
  let [masked, start, matched] = ['', 0, 0]
  for (let at = 0; at < text.length; at += 1) {
    while (matched > 0 && text[at] !== secret[matched]) matched = borders[matched] ?? 0
    if (text[at] === secret[matched]) matched += 1
    if (matched < secret.length) continue
    masked += text.slice(start, at + 1 - matched) + mask
    start = at + 1
    matched = 0
  }
  return masked + text.slice(start)
}

/** For each prefix, by length: the length of its longest proper prefix that is also its suffix. */
function toBorders(text: string): Uint32Array {
  const borders = new Uint32Array(text.length + 1)
  let border = 0
  for (let length = 2; length <= text.length; length += 1) {
    while (border > 0 && text[length - 1] !== text[border]) border = borders[border] ?? 0
    if (text[length - 1] === text[border]) border += 1
    borders[length] = border
  }
  return borders
}

/** `Bearer a` has `a`, and `a=b; c=d` has `b` and `d`. */
function toForms(secret: string): readonly string[] {
  const values = secret.split(/; */).map((pair) => pair.slice(pair.indexOf('=') + 1))
  const decoded = decodePath(secret.replaceAll('+', ' ')) ?? secret
  const plain = [secret, secret.replace(/^\w+ +/, ''), ...values, decoded]
  return plain.flatMap((one) => [one, html`${one}`.markup, JSON.stringify(one).slice(1, -1)])
}
