import { remember } from '../../http/remember.ts'
import { mask } from '../../exchanges/exchange.ts'
import { hideSecrets } from '../../http/security/own-secrets.ts'
import { isSecretName } from '../../site/assets/secret-names.js'

export const isSecret = remember(isSecretName)

/**
 * Matches a parameter name in a URL or in text that contains URLs, however often it is percent-encoded, since a
 * URL can be a parameter of another one. It also matches the name of a member of percent-encoded JSON. No
 * character of a name can start another one, so that the time is linear.
 */
const parameterName =
  /(?<=^|[=?&#;,\s"']|%(?:25)*(?:2[0236c]|3[bdf]))((?:(?!%(?:25)*(?:2[0236c]|3[bdf]))[^=&#;?,\s<>"'])+)(?:=|%((?:25)*)(?:3d|22(?:\+|%(?:25)*20)*(?::|%(?:25)*3a)))/gi
const userInfo =
  /((?:\/|%(?:25)*2f){2}(?:(?!%(?:25)*(?:2[03f]|3[af]|40))[^\s/?#@:])*)(:|%(?:25)*3a)(?:(?!%(?:25)*(?:2[03f]|3f|40))[^\s/?#@])*(@|%(?:25)*40)/gi

/** The `&` after a value is encoded at most as often as the `=` before it. */
const toEnd = remember((escapes) => new RegExp(`[&#\\s]|%(?:25){0,${escapes}}26|$`, 'i'))

export function maskTarget(text: string): string {
  const source = hideSecrets(text.replace(userInfo, `$1$2${mask}$3`), () => mask)
  let masked = ''
  let end = 0
  for (const match of source.matchAll(parameterName)) {
    const [matched, name = '', escapes] = match
    const start = match.index + matched.length
    if (match.index < end || !isSecret(name)) continue
    masked += source.slice(end, start) + mask
    const ends = escapes === undefined ? /[&#\s]|$/ : toEnd(String(escapes.length / 2))
    end = start + source.slice(start).search(ends)
  }
  return masked + source.slice(end)
}

export function maskField(name: string, value: string): string {
  // The cookie attributes are not secret.
  if (name.toLowerCase() === 'set-cookie') return value.replace(/^([^=;]*=)?[^;]*/, `$1${mask}`)
  return isSecret(name) ? mask : maskTarget(value)
}
