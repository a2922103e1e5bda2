const mask = '••••••'

const secretWord =
  /^(auth|authentication|authorization|cookie|credential|jwt|key|passphrase|passwd|password|pwd|secret|session|sid|signature|token)s?$/
/** The same without anything between the words, as `apikey` and `JSESSIONID`. */
const secretCompound =
  /^(api|access|secret|private)key|(auth|access|csrf|xsrf|id|refresh)token|sess(ion)?id$/

/** Names with such a word whose values are no secrets. */
const exceptions = [
  'access-control-allow-credentials',
  'idempotency-key',
  'sec-websocket-key',
  'surrogate-key',
  'x-cache-key',
]

/** Whether a header field or a parameter of this name holds a secret: `X-Api-Key`, `user[authToken]`. */
function isSecret(name: string): boolean {
  const words = name
    .replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$&-')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
  if (exceptions.includes(words.join('-'))) return false
  return words.some((word) => secretWord.test(word) || secretCompound.test(word))
}

/** A URL, or a text with URLs in it, with the secrets among their parameters masked. */
export function maskTarget(text: string): string {
  return text.replace(
    /([?&#])([^=&#\s<>"]+)=([^&#\s<>"]*)/g,
    (whole, start: string, name: string) =>
      isSecret(decode(name)) ? `${start}${name}=${mask}` : whole,
  )
}

/** The value of a header field as it may be shown. */
export function maskField(name: string, value: string): string {
  // Its attributes are no secrets, and worth seeing.
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
