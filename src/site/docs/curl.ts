import {
  resolve,
  type DocumentedOperation,
  type OpenApiDocument,
} from '../../http/openapi/document.ts'
import type { Content, Parameter } from '../../http/openapi/operation.ts'

export interface Place {
  document: OpenApiDocument
  /** In lower case, as the document has it. */
  method: string
  path: string
  operation: DocumentedOperation
}

export function parametersOf({ document, operation }: Place): readonly Parameter[] {
  return (operation.parameters ?? []).map((parameter) => resolve(document, parameter))
}

/** A curl command that sends the examples of the document. */
export function toCurl(place: Place, origin: string): string {
  const { method, operation } = place
  const [type = ''] = responseTypes(place)
  const content = toContentFlags(operation.requestBody?.content ?? {})
  const isImplied = method === 'get' || (method === 'post' && content.length > 0)
  // --json sets Accept by itself.
  const accept = type === 'text/html' && !content.some((flag) => flag.startsWith('--json'))
  return [
    'curl',
    ...(isImplied ? [] : [`-X ${method.toUpperCase()}`]),
    ...(accept && canBeJson(place) ? ["-H 'Accept: application/json'"] : []),
    ...content,
    quote(`${origin}${toExampleTarget(place)}`),
  ].join(' ')
}

function canBeJson(place: Place): boolean {
  return responseTypes(place).includes('application/json')
}

/** The media types of the successful responses. */
export function responseTypes({ document, operation }: Place): readonly string[] {
  const types = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => Object.keys(resolve(document, response).content ?? {}))
  return [...new Set(types)]
}

/** The URL with the examples of its path and of its first query parameter. */
function toExampleTarget(place: Place): string {
  const parameters = parametersOf(place)
  const path = place.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { example } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {}
    return encodeURIComponent(fieldToText(example))
  })
  const [first] = parameters.filter((one) => one.in === 'query' && one.example !== undefined)
  if (first === undefined) return path
  return `${path}?${new URLSearchParams([[first.name, fieldToText(first.example)]]).toString()}`
}

function toContentFlags(content: Content): readonly string[] {
  const [first] = Object.entries(content)
  if (first === undefined) return []
  const [type, { schema = {}, example }] = first
  switch (type) {
    case 'application/json':
      return [`--json ${quote(JSON.stringify(example))}`]
    case 'multipart/form-data':
      return toParts(schema).map((part) => `-F ${quote(part)}`)
    default:
      return [`-H 'Content-Type: ${type}'`, `-d ${quote(fieldToText(example))}`]
  }
}

function toParts(schema: { properties?: Readonly<Record<string, object>> }): readonly string[] {
  return Object.keys(schema.properties ?? {}).map((name) => `${name}=@file`)
}

/** An example as text for a form or a command. */
export function fieldToText(example: unknown): string {
  if (example === undefined) return ''
  if (Array.isArray(example)) return example.map(fieldToText).join(',')
  return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)
}

/** Quotes for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
