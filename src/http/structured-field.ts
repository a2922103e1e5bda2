/** A list of media types as a Structured Field (RFC 9651 §3.1), each of them a string. */
export function toMediaTypeList(types: readonly string[]): string {
  return types.map((type) => `"${type}"`).join(', ')
}
