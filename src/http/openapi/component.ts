const definition = Symbol('definition')

export interface Reference<Definition = object> {
  readonly $ref: string
  readonly [definition]: Definition
}

export function toComponent<Definition extends object>(
  kind: 'schemas' | 'responses' | 'parameters' | 'headers',
  name: string,
  value: Definition,
): Reference<Definition> {
  return { $ref: `#/components/${kind}/${toComponentName(name)}`, [definition]: value }
}

/** OpenAPI 3.1.1 §4.8.7: other characters are not allowed. */
export function toComponentName(name: string): string {
  return name.replaceAll(/[^\w.-]/gu, (character) => `_${String(character.codePointAt(0))}`)
}

export function isReference<Definition extends object>(
  value: Definition | Reference<Definition>,
): value is Reference<Definition> {
  return definition in value
}

export function resolve<Definition extends object>(value: Definition | Reference<Definition>) {
  return isReference(value) ? value[definition] : value
}

export function collectComponents(value: unknown): Record<string, Record<string, object>> {
  const found: Record<string, Record<string, object>> = {}
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    if (isReference(part)) {
      const [, , kind = '', name = ''] = part.$ref.split('/')
      const ofKind = (found[kind] ??= {})
      if (Object.hasOwn(ofKind, name)) return
      ofKind[name] = part[definition]
      visit(part[definition])
    } else Object.values(part).forEach(visit)
  }
  visit(value)
  return found
}
