import { resolve } from '../../http/openapi/component.ts'
import type { OpenApiDocument } from '../../http/openapi/document.ts'

export type DocsOperation = ReturnType<typeof toOperations>[number]

export function toOperations({ paths }: OpenApiDocument) {
  const toPair = (path: string) =>
    Object.entries(paths[path] ?? {}).map(([method, operation]) => {
      const base = path.replace(/\.\w+$/, '')
      const list = path.replace(/\/\{id\}.*$/, '')
      return {
        ...operation,
        path,
        method: method.toUpperCase(),
        parameters: operation.parameters?.map((parameter) => resolve(parameter)) ?? [],
        /** The operation of which this is one representation: `/users` for `/users.csv`. */
        variantOf: base === path ? undefined : paths[base]?.[method]?.operationId,
        /** Where the ids of existing records are listed. */
        idsPath: list !== path && paths[list]?.get ? list : undefined,
        createId: list === path ? undefined : paths[list]?.post?.operationId,
      }
    })
  return Object.keys(paths).flatMap(toPair)
}

/** Assets have no documentation, and a suffix is documented with its operation. */
export function isListed({ path, variantOf }: DocsOperation): boolean {
  return variantOf === undefined && !/^\/(assets\/|favicon\.ico$)/.test(path)
}

export function toResponseTypes({ responses }: DocsOperation): readonly string[] {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => Object.keys(resolve(response).content ?? {}))
  return [...new Set(types)]
}

export function exampleToText(example: unknown): string {
  if (example === undefined) return ''
  if (Array.isArray(example) && example.every((one) => typeof one !== 'object')) {
    return example.join(',')
  }
  return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)
}
