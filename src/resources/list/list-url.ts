import type { ParameterTexts } from './list-parameters.ts'

/** The URL of a list, with the aliases of its parameters resolved. */
export interface ListUrl {
  path: string
  parameters: ParameterTexts
}

/** The URL with some parameters replaced, or removed where the value is undefined. */
export function toHref(
  { path, parameters }: ListUrl,
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  const texts = new URLSearchParams()
  for (const [name, values] of parameters) {
    if (!Object.hasOwn(changes, name)) for (const value of values) texts.append(name, value)
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) texts.set(name, value)
  }
  return texts.size === 0 ? path : `${path}?${texts.toString()}`
}
