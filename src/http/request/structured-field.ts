import { serializeList } from 'structured-headers'

/** A list of strings (RFC 9651 §3.1). */
export function toMediaTypeList(types: readonly string[]): string {
  return types.map((type) => `"${type}"`).join(', ')
}

/** A list of strings with numbers as parameters: `"default";q=300;w=60`. */
export function toNamedNumbers(
  items: readonly (readonly [name: string, numbers: Readonly<Record<string, number>>])[],
): string {
  return serializeList(items.map(([name, numbers]) => [name, new Map(Object.entries(numbers))]))
}
