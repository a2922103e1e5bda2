export function hasTexts(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  const texts = new Map(Object.entries(value))
  return names.every((name) => typeof texts.get(name) === 'string')
}
