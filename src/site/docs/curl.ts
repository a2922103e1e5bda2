import { resolve } from '../../http/openapi/component.ts'
import type { DocumentedOperation } from '../../http/openapi/document.ts'
import type { Content, Parameter, Schema } from '../../http/openapi/operation.ts'

/** An operation of the document, with its method in upper case. */
export interface Place extends DocumentedOperation {
  method: string
  path: string
}

export const originMark = '{origin}'

export function toCurl(place: Place): string {
  const { method } = place
  const types = responseTypes(place)
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
    quote(`${originMark}${toExampleTarget(place)}`),
  ].join(' ')
}

export function parametersOf({ parameters = [] }: Place): readonly Parameter[] {
  return parameters.map((parameter) => resolve(parameter))
}

export function responseTypes({ responses }: Place): readonly string[] {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => Object.keys(resolve(response).content ?? {}))
  return [...new Set(types)]
}

function toExampleTarget(place: Place): string {
  const parameters = parametersOf(place)
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
  switch (type) {
    case 'application/json':
      return [`--json ${quote(JSON.stringify(example))}`]
    case 'multipart/form-data':
      return partNames(schema).map((name) => `-F ${quote(`${name}=@file`)}`)
    default:
      return [`-H 'Content-Type: ${type}'`, `-d ${quote(exampleToText(example))}`]
  }
}

export function partNames(schema: Schema = {}): readonly string[] {
  const { properties = {} }: { properties?: object } = schema
  return Object.keys(properties)
}

export function exampleToText(example: unknown): string {
  if (example === undefined) return ''
  if (Array.isArray(example)) return example.map(exampleToText).join(',')
  return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
