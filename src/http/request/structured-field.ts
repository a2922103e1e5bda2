import { serializeList } from 'structured-headers'

export function toMediaTypeList(types: readonly string[]): string {
  return types.map((type) => `"${type}"`).join(', ')
}

export function toNamedNumbers(
  items: readonly (readonly [name: string, numbers: Readonly<Record<string, number>>])[],
): string {
  return serializeList(items.map(([name, numbers]) => [name, new Map(Object.entries(numbers))]))
}
