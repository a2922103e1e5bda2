/** What every answer carries, refusals and files included. */
export const headersOfEveryAnswer = {
  'x-content-type-options': 'nosniff',
  // Our own forms keep their Origin, and other sites learn nothing.
  'referrer-policy': 'same-origin',
  // No upgrade-insecure-requests: the pages have to work on a local network without HTTPS.
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
}
