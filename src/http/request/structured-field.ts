import { serializeList } from 'structured-headers'

/** A list of media types as a Structured Field (RFC 9651 §3.1), each of them a string. */
export function toMediaTypeList(types: readonly string[]): string {
  return types.map((type) => `"${type}"`).join(', ')
}

/** Named items of numbers, such as `"default";q=300;w=60`, as a Structured Field. */
export function toNamedNumbers(
  items: readonly (readonly [name: string, numbers: Readonly<Record<string, number>>])[],
): string {
  return serializeList(items.map(([name, numbers]) => [name, new Map(Object.entries(numbers))]))
}
