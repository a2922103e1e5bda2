import { html } from './html.ts'

/** The parameters that a form keeps, without those that its own fields have. */
export function renderHiddenFields(
  parameters: ReadonlyMap<string, readonly string[]>,
  replaced: readonly string[],
) {
  return [...parameters]
    .filter(([name]) => !replaced.includes(name))
    .flatMap(([name, values]) =>
      values.map((value) => html`<input type="hidden" name="${name}" value="${value}">\n`),
    )
}
