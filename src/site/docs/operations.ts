import { isObject } from '../../config/is-object.ts'
import { resolve } from '../../http/openapi/component.ts'
import type { DocumentedOperation, OpenApiDocument } from '../../http/openapi/document.ts'
import type { MediaType, Parameter, Schema } from '../../http/openapi/operation.ts'
import type { CommandRequest } from '../commands/commands.ts'

export type DocsOperation = ReturnType<typeof toOperations>[number]

export function toOperations({ paths }: OpenApiDocument) {
  const toPair = (path: string) =>
    Object.entries(paths[path] ?? {}).map(([method, operation]) => {
      const list = path.replace(/\/\{id\}.*$/, '')
      return {
        ...operation,
        path,
        method: method.toUpperCase(),
        parameters: operation.parameters?.map((parameter) => resolve(parameter)) ?? [],
        variantOf: findBase(paths, path, method)?.operationId,
        idsUrl: list === path ? undefined : toIdsUrl(list, paths[list]?.get),
        createId: list === path ? undefined : paths[list]?.post?.operationId,
      }
    })
  return Object.keys(paths).flatMap(toPair)
}

function findBase(paths: OpenApiDocument['paths'], path: string, method: string) {
  const own = paths[path]?.[method]
  const first = Object.values(paths[path] ?? {}).find(({ summary }) => summary === own?.summary)
  if (first !== own) return first
  const base = path.replace(/\.\w+$/, '')
  return base === path ? undefined : paths[base]?.[method]
}

function toIdsUrl(path: string, list?: Pick<DocumentedOperation, 'parameters'>) {
  if (list === undefined) return undefined
  const sort = list.parameters?.map((one) => resolve(one)).find(({ name }) => name === 'sort')
  const newest = '-createdAt'
  const isSortable = JSON.stringify(sort?.schema ?? {}).includes(`"${newest}"`)
  return `${path}?page=1&per_page=1${isSortable ? `&sort=${newest}` : ''}`
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

export function exampleToContent(type: string, { example }: MediaType): string {
  if (type !== 'application/x-www-form-urlencoded') {
    return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)
  }
  const pairs = isObject(example) ? Object.entries(example) : []
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
}

export function toPartNames(schema: Schema = {}): readonly string[] {
  const { properties = {} }: { properties?: object } = schema
  return Object.keys(properties)
}

export function toExampleRequest(operation: DocsOperation, origin: string): CommandRequest {
  const { method, requestBody } = operation
  const types = toResponseTypes(operation)
  const canBeJson = types.includes('text/html') && types.includes('application/json')
  const [[type, content] = ['', {}]] = Object.entries(requestBody?.content ?? {})
  const body = toExampleBody(type, content)
  return {
    method,
    url: `${origin}${toExampleUrl(operation)}`,
    headers: [
      ...(canBeJson ? [['Accept', 'application/json'] as const] : []),
      ...(body && body.kind !== 'file' ? [['Content-Type', type] as const] : []),
    ],
    body,
  }
}

function toExampleUrl({ path, parameters }: DocsOperation): string {
  const first = parameters.find((one) => one.in === 'query' && one.example !== undefined)
  return toExampleTarget(path, parameters, first ? [first] : [])
}

export function toExampleTarget(
  path: string,
  parameters: readonly Parameter[],
  ofQuery: readonly Parameter[],
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { example } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {}
    return encodeURIComponent(exampleToText(example))
  })
  const pairs = ofQuery.map(({ name, example }) => [name, exampleToText(example)])
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`
}

function toExampleBody(type: string, content: MediaType): CommandRequest['body'] {
  const { schema, example } = content
  if (type === '') return undefined
  if (type === 'application/json') return { kind: 'json', value: example }
  if (type !== 'multipart/form-data') return { kind: 'text', text: exampleToContent(type, content) }
  return { kind: 'file', name: toPartNames(schema)[0] ?? '' }
}
