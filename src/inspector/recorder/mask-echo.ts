import { maxMaskedForms, maxMaskedLength } from '../../config/limits.ts'
import { decodeLoosely } from '../../http/request/target.ts'
import { html } from '../../site/html.ts'
import { mask } from '../../exchanges/exchange.ts'

/** A shorter secret is a part of most bodies by chance. */
const minLength = 3
/** A shorter secret is looked for as a whole word only. */
const minPartLength = 6
/** A longer secret is searched for, and masked, in parts. */
const maxPartLength = 100

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
  const known = new Set(secrets.filter(isSearched))
  const forms = known.size > maxMaskedForms ? known : new Set([...known].flatMap(toForms))
  const searched = [...forms].filter(isSearched)
  const length = searched.reduce((sum, form) => sum + form.length, 0)
  const isTooMuch = searched.length > maxMaskedForms || length > maxMaskedLength
  return isTooMuch ? mask : text.replaceAll(toPattern(searched), mask)
}

const isSearched = ({ length }: string) => length >= minLength

/** One pattern finds all forms: a search for each would take the product of their number and the length of the text. */
function toPattern(forms: readonly string[]): RegExp {
  const { short = [], long = [] } = Object.groupBy(forms, ({ length }) =>
    length < minPartLength ? 'short' : 'long',
  )
  const pattern = `${toChoice(long.flatMap(toParts))}+|(?<!\\w)${toChoice(short)}(?!\\w)`
  return new RegExp(pattern, 'g')
}

function toChoice(texts: readonly string[]): string {
  // The longer of two that begin alike must come first: a choice takes the first that matches.
  const sorted = [...new Set(texts)].toSorted().toReversed()
  return `(?:${sorted.map((one) => RegExp.escape(one)).join('|') || '(?!)'})`
}

/** Parts of nearly the same length, which bounds the comparisons at each place of a text. */
function toParts(form: string): readonly string[] {
  const length = Math.ceil(form.length / Math.ceil(form.length / maxPartLength))
  return form.match(new RegExp(`[^]{1,${String(length)}}`, 'g')) ?? []
}

/** `Bearer a` has `a`, and `a=b; c=d` has `b` and `d`. */
function toForms(secret: string): readonly string[] {
  const values = secret.split(/; */).map((pair) => pair.slice(pair.indexOf('=') + 1))
  const decoded = decodeLoosely(secret.replaceAll('+', ' '))
  const plain = [secret, secret.replace(/^\w+ +/, ''), ...values, decoded]
  return plain.flatMap((one) => [one, html`${one}`.markup, JSON.stringify(one).slice(1, -1)])
}
