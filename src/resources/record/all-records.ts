import { toJsonArray } from '../../http/response/send.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import { singularId, type ResourceContext } from '../context.ts'

/** The stored records of these resources, as the JSON of a data file. */
export async function* writeAll<Context extends Pick<ResourceContext, 'resource' | 'collection'>>(
  contexts: readonly Context[],
  toShown: (context: Context, record: StoredRecord) => Document,
): AsyncGenerator<string> {
  yield '{'
  for (const [index, context] of contexts.entries()) {
    const { collection, resource } = context
    yield `${index === 0 ? '' : ',\n'}${JSON.stringify(resource.name)}:`
    if (resource.isSingular) {
      const record = await collection.find(singularId)
      yield JSON.stringify(record ? toShown(context, record) : {})
    } else yield* toJsonArray(collection.pages(), (record) => toShown(context, record))
  }
  yield '}'
}
