// The names of headers, parameters and members whose values are secret: for the mask of the request inspector, and
// for what a page may store or put into a link.
const secretWord =
  /^(auth|authentication|authorization|bearer|cookie|credential|csrf|jwt|key|otp|pass|passcode|passphrase|passwd|password|pin|pwd|secret|sess|session|sid|sig|signature|token|xsrf)s?$/
/** Words without separators, such as `apikey`, `usertoken` and `JSESSIONID`. */
const secretCompound =
  /(authorization|password|secret|token|(access|api|private|secret|session)key|sess(ion)?id)s?$/

const publicName =
  /^(access-control-allow-credentials|(idempotency|sec-websocket|surrogate|x-cache)-key)$/

/** @param {string} name */
export function isSecretName(name) {
  const words =
    name
      .replaceAll(/%(?:25)*([\da-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
      .replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$&-')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  const joined = words.join('-')
  if (publicName.test(joined)) return false
  if (joined === 'x-inspector' || joined === 'x-sandbox') return true
  return words.some((word) => secretWord.test(word) || secretCompound.test(word))
}
