import { stringifySetCookie, type SetCookie } from 'cookie'
import type { Pair } from './visitor-response.ts'

/** The cookies of the service, which no demo shows or lets a visitor set. What sets one adds its name. */
export const ownCookies: string[] = []

export type OwnCookie = Readonly<Record<'http' | 'https', string>>

/** RFC 6265bis §4.1.3: browsers accept the prefix only over HTTPS and from this host. */
export function registerCookie(name: string): OwnCookie {
  const names = { http: name, https: `__Host-${name}` }
  ownCookies.push(names.http, names.https)
  return names
}

export function toOwnCookie({ protocol }: { protocol: string }, cookie: SetCookie): string {
  const attributes = { httpOnly: true, sameSite: 'lax', secure: protocol === 'https' } as const
  return stringifySetCookie({ path: '/', ...cookie, ...attributes })
}

export function withoutCookies(headers: readonly Pair[], own: readonly string[]): readonly Pair[] {
  return headers.flatMap(([name, value]): Pair[] => {
    if (name.toLowerCase() === 'x-sandbox') return []
    if (name.toLowerCase() !== 'cookie' || own.length === 0) return [[name, value]]
    const kept = value.split(';').filter((part) => !own.includes(part.replace(/=.*/s, '').trim()))
    return kept.length === 0 ? [] : [[name, kept.join(';').trim()]]
  })
}

const secrets: { pattern: RegExp; length: number; run: RegExp; hidden: string }[] = []

/** Logs, recorded exchanges and captured requests then hide it. The global pattern also matches percent-encodings. */
export function registerSecret(pattern: RegExp, length: number, hidden: string): void {
  secrets.push({ pattern, length, run: new RegExp(`[\\w%-]{${String(length)},}`, 'g'), hidden })
}

export function hideSecrets(text: string, hide?: (secret: string) => string): string {
  return secrets.reduce((shown, { pattern, length, run, hidden }) => {
    if (shown.length < length) return shown
    const hideOne = hide ?? (() => hidden)
    return shown
      .replaceAll(pattern, hideOne)
      .replaceAll(run, (part) => (hasEncoded(pattern, part) ? hideOne(part) : part))
  }, text)
}

/** A percent-encoding whose own characters are percent-encoded: `%25%37%36` and `%7%36` for `v`. */
const nestedEscape = /%(?:25)*[2-7]?%(?:25)*[2-7]/
const maxNesting = 5

/** True also if the nesting is too deep to know: the time would not be linear. */
function hasEncoded(secret: RegExp, text: string): boolean {
  let decoded = text
  for (let depth = 0; nestedEscape.test(decoded); depth += 1) {
    if (depth === maxNesting) return true
    decoded = decoded.replaceAll(/%(?:25)*([2-7][\da-f])/gi, (_, hex: string) =>
      String.fromCharCode(parseInt(hex, 16)),
    )
    if (decoded.search(secret) !== -1) return true
  }
  return false
}
