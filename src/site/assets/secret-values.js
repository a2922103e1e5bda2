// Secrets that are known by their form, whatever their name is.
/** JWTs, the secrets of bins and sandboxes, and the keys of well-known services. */
const key =
  /\beyJ[\w-]+\.[\w-]+\.|\bvbs_[\w-]{20}|\b[rw]\.[\w-]{43}(?![\w-])|\b[prs]k[-_](?:live|test|proj)[-_]\w{4}|\b(?:gh[opsur]|github_pat|glpat|xox[a-z])[-_]\w{4}|\b(?:AKIA|ASIA)[A-Z\d]{12}/
const password = /\/\/[^\s/@:]*:[^\s/@]+@/
const credentials = /^(?:bearer|basic|token) +(?=\S*[\d=])\S{6,}$/i

/** The name of the kind of secret that is in a text. Undefined if there is none. */
export function findSecret(text) {
  if (credentials.test(text)) return 'credentials'
  if (password.test(text)) return 'password'
  return key.test(text) ? 'token' : undefined
}
