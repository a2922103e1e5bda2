import { resolve } from '../../../src/http/openapi/component.ts'
import type { DocumentedOperation, OpenApiDocument } from '../../../src/http/openapi/document.ts'
import type { MediaType } from '../../../src/http/openapi/operation.ts'
import { isEndless } from '../routes.ts'
import { encode, type GivenRequest } from './requests.ts'

export interface ExampleRequest {
  /** `PUT /users/{id} text/html` */
  name: string
  /** `/users/{id}` */
  path: string
  tags: readonly string[]
  /** The type in Accept, which a successful response can have. */
  type?: string | undefined
  request: GivenRequest
}

/** Records are created before they are read, and deleted at the end. */
const methods = ['put', 'post', 'get', 'patch', 'delete']

/** For each type of the response and of the body one request, with the examples of the document. */
export function toExampleRequests({ paths }: OpenApiDocument): readonly ExampleRequest[] {
  // What is below a record is deleted before the record.
  const toDepth = (path: string) => path.split('/').length
  const all = Object.keys(paths)
    .toSorted()
    .toSorted((one, other) => toDepth(other) - toDepth(one))
  return methods.flatMap((method) =>
    all
      .filter((path) => method !== 'get' || !isEndless(path))
      .flatMap((path) => toRequests(path, method, paths[path]?.[method])),
  )
}

function toRequests(
  path: string,
  lowerCase: string,
  operation?: DocumentedOperation,
): ExampleRequest[] {
  if (!operation) return []
  const method = lowerCase.toUpperCase() as GivenRequest['method']
  const url = toUrl(path, operation)
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(toBody)
  const types = toTypes(operation)
  return Array.from({ length: Math.max(bodies.length, types.length, 1) }, (_, index) => {
    const type = types[index % types.length]
    const { headers = {}, ...body } = bodies[index % bodies.length] ?? {}
    return {
      name: [method, path, headers['content-type']?.replace(/;.*/, ''), type]
        .filter(Boolean)
        .join(' '),
      path,
      tags: operation.tags,
      type,
      request: {
        method,
        url,
        ...body,
        headers: { ...headers, ...(type !== undefined && { accept: type }) },
      },
    }
  })
}

function toBody([type, { schema = {}, example }]: [string, MediaType]) {
  const { required = [] }: { required?: readonly string[] } = schema
  const files = Object.fromEntries(required.map((name) => [name, 'glass']))
  return encode(type, example ?? files, schema)
}

function toTypes({ responses }: DocumentedOperation): readonly string[] {
  const ofSuccess = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const types = ofSuccess.flatMap(([, response]) => Object.keys(resolve(response).content ?? {}))
  return [...new Set(types)]
}

function toUrl(path: string, { parameters = [] }: DocumentedOperation): string {
  const all = parameters.map((one) => resolve(one))
  const examples = new Map(all.map(({ name, example }) => [name, example]))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(examples.get(name))),
  )
  const required = all.filter((one) => one.in === 'query' && one.required)
  const query = new URLSearchParams(required.map(({ name, example }) => [name, String(example)]))
  return query.size === 0 ? filled : `${filled}?${query.toString()}`
}
