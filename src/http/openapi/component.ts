import type { Reference } from './operation.ts'

type Kind = 'schemas' | 'responses' | 'parameters' | 'headers'

interface Component {
  kind: Kind
  name: string
  definition: object
}

const components = new WeakMap<object, Component>()

/** A reference to `definition`, which `collectComponents` adds to a document that uses it. */
export function toComponent(kind: Kind, name: string, definition: object): Reference {
  const reference = { $ref: `#/components/${kind}/${name}` }
  components.set(reference, { kind, name, definition })
  return reference
}

/** The components that `value` refers to, directly or through others. */
export function collectComponents(value: unknown): Record<string, Record<string, object>> {
  const found: Record<string, Record<string, object>> = {}
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const component = components.get(part)
    if (component === undefined) {
      Object.values(part).forEach(visit)
      return
    }
    const ofKind = (found[component.kind] ??= {})
    if (Object.hasOwn(ofKind, component.name)) return
    ofKind[component.name] = component.definition
    visit(component.definition)
  }
  visit(value)
  return found
}
