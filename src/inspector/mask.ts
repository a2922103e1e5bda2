const mask = '••••••'

const secretWord =
  /^(auth|authentication|authorization|cookie|credential|jwt|key|passphrase|passwd|password|pwd|secret|session|sid|signature|token)s?$/
/** Words without separators, such as `apikey` and `JSESSIONID`. */
const secretCompound =
  /^(api|access|secret|private)key|(auth|access|csrf|xsrf|id|refresh)token|sess(ion)?id$/

/** Names that match but whose values are not secret. */
const exceptions = [
  'access-control-allow-credentials',
  'idempotency-key',
  'sec-websocket-key',
  'surrogate-key',
  'x-cache-key',
]

/** For header and parameter names such as `X-Api-Key` and `user[authToken]`. */
function isSecret(name: string): boolean {
  const words = name
    .replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$&-')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
  if (exceptions.includes(words.join('-'))) return false
  return words.some((word) => secretWord.test(word) || secretCompound.test(word))
}

/** Masks secret parameters in a URL, or in text that contains URLs. */
export function maskTarget(text: string): string {
  return text.replace(
    /([?&#])([^=&#\s<>"]+)=([^&#\s<>"]*)/g,
    (whole, start: string, name: string) =>
      isSecret(decode(name)) ? `${start}${name}=${mask}` : whole,
  )
}

export function maskField(name: string, value: string): string {
  // The cookie attributes are not secret.
  if (name.toLowerCase() === 'set-cookie') return value.replace(/^([^=;]*=)?[^;]*/, `$1${mask}`)
  return isSecret(name) ? mask : maskTarget(value)
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
