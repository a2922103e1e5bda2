import { isObject } from '../../http/request/parameters.ts'
import type { MediaType, Schema } from '../../http/openapi/operation.ts'
import { exampleToText, toResponseTypes, type DocsOperation } from './operations.ts'

type ExampleBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'text'; type: string; text: string }
  | { kind: 'parts'; fields: readonly (readonly [string, string])[]; files: readonly string[] }

export interface ExampleRequest {
  method: string
  url: string
  /** Unset if every client gets the same media type. */
  accept: string | undefined
  body: ExampleBody | undefined
}

export function toExampleRequest(operation: DocsOperation, origin: string): ExampleRequest {
  const types = toResponseTypes(operation)
  const canBeJson = types.includes('text/html') && types.includes('application/json')
  return {
    method: operation.method,
    url: `${origin}${toExampleTarget(operation)}`,
    accept: canBeJson ? 'application/json' : undefined,
    body: toExampleBody(operation),
  }
}

function toExampleTarget({ path, parameters }: DocsOperation): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { example } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {}
    return encodeURIComponent(exampleToText(example))
  })
  const first = parameters.find((one) => one.in === 'query' && one.example !== undefined)
  if (first === undefined) return filled
  return `${filled}?${new URLSearchParams([[first.name, exampleToText(first.example)]]).toString()}`
}

function toExampleBody({ requestBody }: DocsOperation): ExampleBody | undefined {
  const [first] = Object.entries(requestBody?.content ?? {})
  if (first === undefined) return undefined
  const [type, { schema, example }] = first
  if (type === 'application/json') return { kind: 'json', value: example }
  if (type !== 'multipart/form-data') return { kind: 'text', type, text: exampleToText(example) }
  const fields = isObject(example) ? Object.entries(example) : []
  return {
    kind: 'parts',
    fields: fields.map(([name, value]) => [name, exampleToText(value)] as const),
    files: toPartNames(schema),
  }
}

export function toPartNames(schema: Schema = {}): readonly string[] {
  const { properties = {} }: { properties?: object } = schema
  return Object.keys(properties)
}

export function exampleToContent(type: string, { example }: MediaType): string {
  if (type !== 'application/x-www-form-urlencoded') {
    return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)
  }
  const pairs = isObject(example) ? Object.entries(example) : []
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
}
