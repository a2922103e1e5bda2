import { formatMebibytes } from '../config/format-count.ts'
import { maxLoadLength } from '../config/limits.ts'
import { badRequest } from '../http/errors/http-error.ts'
import { findByIds } from '../lists/select.ts'
import { toChildFilter } from '../resources/relations/relations.ts'
import { type Document, type StoredRecord } from '../stores/records/records.ts'
import { findUnknown, type Related } from './selection.ts'
import { findList, isVersion1, toForeignKey, toPlural, toShown, toSingular } from './context.ts'
import type { Context } from './context.ts'

const tooLong = `The embedded records are larger than ${formatMebibytes(maxLoadLength)}. Request the embedded resource itself, page by page.`

type Documents = readonly Document[]
type AddRelated = (documents: Documents) => Documents | Promise<Documents>

export function createToDocuments(context: Context, { embed, expand }: Related) {
  const add = [
    ...embed.map((name) => {
      const isParent = isVersion1(context) && toSingular(context, name) === name
      return isParent ? addParent(context, name) : addChildren(context, name)
    }),
    ...expand.map((name) => addParent(context, name)),
  ]
  return async (records: readonly StoredRecord[]) => {
    let documents: Documents = records.map((record) => toShown(context, record))
    for (const addRelated of add) documents = await addRelated(documents)
    return documents
  }
}

function addParent(context: Context, name: string): AddRelated {
  const parent = findList(context, toPlural(context, name))
  if (!parent) return (documents) => documents
  const key = name + context.config.foreignKeySuffix
  // 0.17 compares ids as text. In 1 they are text, which is not equal to a number.
  const types = isVersion1(context) ? ['string'] : ['string', 'number']
  const toId = ({ [key]: value }: Document) => (types.includes(typeof value) ? String(value) : '')
  return async (documents) => {
    const found = await findByIds(parent.collection, documents.map(toId))
    return documents.map((document) => {
      const record = found.get(toId(document))
      return { ...document, [name]: record && toShown(parent, record) }
    })
  }
}

function addChildren(context: Context, name: string): AddRelated {
  const { idName } = context.resource
  const children = findList(context, name)
  if (!children && isVersion1(context)) return (documents) => documents
  if (!children) return (documents) => documents.map((each) => ({ ...each, [name]: [] }))
  const key = toForeignKey(context)
  const isIndexed = children.resource.references.some(({ field }) => field === key)
  let unknown: ReadonlyMap<string, unknown> | undefined
  return async (documents) => {
    // Without an index, each page of documents reads the whole list.
    unknown ??= isIndexed ? new Map() : await findUnknown(children, [key])
    const found = new Map(documents.map(({ [idName]: id }) => [id, new Array<Document>()]))
    const filters = [toChildFilter({ field: key }, [...found.keys()].map(String))]
    const pages = unknown.has(key) ? [] : children.collection.pages({ filters, sort: [] })
    let length = 0
    for await (const page of pages) {
      // An id that is a number is not equal to its text.
      for (const child of page) found.get(child.document[key])?.push(toShown(children, child))
      length += JSON.stringify(page.map(({ document }) => document)).length
      if (length > maxLoadLength) throw badRequest(tooLong)
    }
    return documents.map((each) => ({ ...each, [name]: found.get(each[idName]) ?? [] }))
  }
}
