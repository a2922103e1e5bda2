/** The errors of Node.js are of another realm in the tests of Jest, where no `instanceof` holds. */
export function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  const isObject = typeof error === 'object' && error !== null
  return isObject && 'code' in error && codes.includes(error.code)
}
