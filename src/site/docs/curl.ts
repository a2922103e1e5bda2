import { quoteForShell } from '../../inspector/commands.ts'
import { resolve } from '../../http/openapi/component.ts'
import type { DocumentedOperation } from '../../http/openapi/document.ts'
import type { Content, Schema } from '../../http/openapi/operation.ts'

export type Place = ReturnType<typeof toPlace>

export function toPlace(path: string, method: string, operation: DocumentedOperation) {
  const parameters = operation.parameters?.map((parameter) => resolve(parameter)) ?? []
  return { ...operation, path, method: method.toUpperCase(), parameters }
}

export const originMark = '{origin}'

export function toCurl(place: Place): string {
  const { method } = place
  const types = toResponseTypes(place)
  const content = toContentFlags(place.requestBody?.content ?? {})
  const isImplied = method === 'GET' || (method === 'POST' && content.length > 0)
  const canBeJson = types[0] === 'text/html' && types.includes('application/json')
  // --json sets Accept by itself.
  const needsAccept = canBeJson && !content.some((flag) => flag.startsWith('--json'))
  return [
    'curl',
    ...(isImplied ? [] : [`-X ${method}`]),
    ...(needsAccept ? ["-H 'Accept: application/json'"] : []),
    ...content,
    quoteForShell(`${originMark}${toExampleTarget(place)}`),
  ].join(' ')
}

export function toResponseTypes({ responses }: Place): readonly string[] {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => Object.keys(resolve(response).content ?? {}))
  return [...new Set(types)]
}

function toExampleTarget({ parameters, ...place }: Place): string {
  const path = place.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { example } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {}
    return encodeURIComponent(exampleToText(example))
  })
  const first = parameters.find((one) => one.in === 'query' && one.example !== undefined)
  if (first === undefined) return path
  return `${path}?${new URLSearchParams([[first.name, exampleToText(first.example)]]).toString()}`
}

function toContentFlags(content: Content): readonly string[] {
  const [first] = Object.entries(content)
  if (first === undefined) return []
  const [type, { schema, example }] = first
  if (type === 'application/json') return [`--json ${quoteForShell(JSON.stringify(example))}`]
  if (type !== 'multipart/form-data') {
    return [`-H 'Content-Type: ${type}'`, `-d ${quoteForShell(exampleToText(example))}`]
  }
  return toPartNames(schema).map((name) => `-F ${quoteForShell(`${name}=@file`)}`)
}

export function toPartNames(schema: Schema = {}): readonly string[] {
  const { properties = {} }: { properties?: object } = schema
  return Object.keys(properties)
}

export function exampleToText(example: unknown): string {
  if (example === undefined) return ''
  if (Array.isArray(example)) return example.map(exampleToText).join(',')
  return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)
}
