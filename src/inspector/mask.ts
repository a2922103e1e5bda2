import { remember } from '../http/remember.ts'
import { decodePath } from '../http/request/target.ts'
import { ownSecrets } from '../http/security/visitor-response.ts'

export const mask = '••••••'

const secretWord =
  /^(auth|authentication|authorization|bearer|cookie|credential|csrf|jwt|key|otp|pass|passcode|passphrase|passwd|password|pin|pwd|secret|sess|session|sid|sig|signature|token|xsrf)s?$/
/** Words without separators, such as `apikey`, `usertoken` and `JSESSIONID`. */
const secretCompound =
  /(authorization|password|secret|token|(access|api|private|secret|session)key|sess(ion)?id)s?$/

const publicName =
  /^(access-control-allow-credentials|(idempotency|sec-websocket|surrogate|x-cache)-key)$/

/** For header and parameter names such as `X-Api-Key` and `user[authToken]`. */
export const isSecret = remember((name): boolean => {
  const words =
    name
      .replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$&-')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  const joined = words.join('-')
  if (publicName.test(joined)) return false
  if (joined === 'x-inspector') return true
  return words.some((word) => secretWord.test(word) || secretCompound.test(word))
})

/** A parameter name in a URL or in text that contains URLs, percent-encoded ones too. */
// No character of a name can start another one, so that the time is linear.
const parameterName =
  /(?:^|[?&#;,\s"']|%3F|%26|%3B)((?:(?!%3D|%26|%3F|%3B)[^=&#;?,\s<>"'])+)(?:=|%3D)/gi
const userInfo = /(\/\/[^\s/?#@:]*):[^\s/?#@]*@/g

/** Masks the values of secret parameters, each up to the next `&`, `#` or space, and passwords of URLs. */
export function maskTarget(text: string): string {
  const source = text.replace(userInfo, `$1:${mask}@`).replace(ownSecrets, mask)
  let masked = ''
  let end = 0
  for (const match of source.matchAll(parameterName)) {
    const [matched, name = ''] = match
    const start = match.index + matched.length
    if (match.index < end || !isSecret(decodePath(name) ?? name)) continue
    masked += source.slice(end, start) + mask
    end = start + source.slice(start).search(/[&#\s]|%26|$/i)
  }
  return masked + source.slice(end)
}

export function maskField(name: string, value: string): string {
  // The cookie attributes are not secret.
  if (name.toLowerCase() === 'set-cookie') return value.replace(/^([^=;]*=)?[^;]*/, `$1${mask}`)
  return isSecret(name) ? mask : maskTarget(value)
}
