import { findNearest } from '../config/find-nearest.ts'
import { isDocument } from '../stores/records/records.ts'
import type { DataResource } from './define-data.ts'

const maxCompared = 1000
/** More of the records with a field are not a mistake. */
const maxShare = 0.25

/** Lines about fields and types of few records, which are probably mistakes. */
export function findOddities({ definition: { name }, records }: DataResource): string[] {
  const documents = records.slice(0, maxCompared).map(({ document }) => document)
  const names = [...new Set(documents.flatMap((document) => Object.keys(document)))]
  return names.flatMap((field) => {
    const owners = documents.flatMap((document, index) =>
      Object.hasOwn(document, field) ? index : [],
    )
    const toPath = (index = 0) => `/${name}/${String(index)}/${field}`
    const isRare = owners.length <= maxShare * documents.length
    const nearest = isRare
      ? findNearest(
          field,
          names.filter((other) => other !== field),
        )
      : undefined
    const isEither = (meant: string) =>
      documents.every((each) => Object.hasOwn(each, meant) !== Object.hasOwn(each, field))
    if (nearest !== undefined && isEither(nearest)) {
      const count = `${String(owners.length)} of ${String(documents.length)} records`
      return `${toPath(owners[0])} occurs in ${count}: did you mean ${nearest}?`
    }
    const byType = Map.groupBy(owners, (index) => toTypeName(documents[index]?.[field]))
    byType.delete('null')
    const [most, few] = [...byType].toSorted(([, one], [, other]) => other.length - one.length)
    if (!most || !few || few[1].length > maxShare * most[1].length) return []
    return `${toPath(few[1][0])} is ${few[0]}; it is ${most[0]} in ${String(most[1].length)} other records`
  })
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
}

function toTypeName(value: unknown): string {
  if (value === null) return 'null'
  return typeNames[typeof value] ?? (isDocument(value) ? 'an object' : 'a list')
}
