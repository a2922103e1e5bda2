import type { StoredRecord } from '../../stores/records/records.ts'
import { singularId, type ResourceContext } from '../context.ts'

export async function* writeAll<Context extends Pick<ResourceContext, 'resource' | 'collection'>>(
  contexts: readonly Context[],
  toShown: (context: Context, record: StoredRecord) => unknown,
): AsyncGenerator<string> {
  let start = '{\n  '
  for (const context of contexts) {
    const { collection, resource } = context
    yield `${start}${JSON.stringify(resource.name)}: `
    start = ',\n  '
    if (resource.isSingular) {
      const record = await collection.find(singularId)
      const shown = record && toShown(context, record)
      yield indent(resource.isValue ? (record?.document.value ?? null) : (shown ?? {}), '\n  ')
    } else {
      const toText = (record: StoredRecord) => indent(toShown(context, record), '\n    ')
      yield* writeList(collection.pages(), toText)
    }
  }
  yield contexts.length === 0 ? '{}' : '\n}'
}

async function* writeList(
  pages: AsyncIterable<readonly StoredRecord[]>,
  toText: (record: StoredRecord) => string,
): AsyncGenerator<string> {
  let start = '['
  for await (const page of pages) {
    if (page.length === 0) continue
    yield `${start}\n    ${page.map(toText).join(',\n    ')}`
    start = ','
  }
  yield start === '[' ? '[]' : '\n  ]'
}

/** A text in JSON has no line break of its own. */
function indent(value: unknown, lineBreak: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', lineBreak)
}
