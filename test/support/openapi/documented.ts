import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { Compile, type Validator } from 'typebox/schema'
import type { DocumentedOperation, OpenApiDocument } from '../../../src/http/openapi/document.ts'
import { loadDocument } from './load-document.ts'
import type { ResponseDoc, Header, Schema } from '../../../src/http/openapi/operation.ts'

/** A response of `inject`. */
export interface GivenResponse {
  statusCode: number
  headers: Readonly<Record<string, unknown>>
  body: string
}

interface Request {
  method: string
  url: string
}

/** Sends the request and fails unless the response has this status and is as documented. */
export async function assertDocumented(
  app: FastifyInstance,
  request: { method?: 'GET' | 'POST'; url: string; payload?: object },
  status: number,
): Promise<void> {
  const { method = 'GET', url } = request
  const response = await app.inject(request)
  assert.equal(response.statusCode, status, url)
  assert.deepEqual(findUndocumented(await loadDocument(app), { method, url }, response), [])
}

/** The differences between the response and the document. */
export function findUndocumented(
  document: OpenApiDocument,
  { method, url }: Request,
  received: GivenResponse,
): readonly string[] {
  const operation = findOperation(document, { method, url })
  if (operation === undefined) return [`${method} ${url} is not an operation`]
  const status = String(received.statusCode)
  const documented = (operation.responses[status] ??
    operation.responses[`${status.charAt(0)}XX`]) as ResponseDoc | undefined
  if (documented === undefined) return [`${status} is not documented: ${received.body}`]
  const problems = [...findMissingFields(documented, received)]
  if (method === 'HEAD') return problems
  if (received.body !== '') problems.push(...findWrongContent(documented, received))
  // A class of statuses, or any media type, includes responses without content.
  else if (
    operation.responses[status] &&
    documented.content &&
    !('*/*' in documented.content) &&
    received.headers['content-type'] === undefined
  )
    problems.push(`${method} ${url}: ${status} has no content`)
  return problems
}

/** The operation of a request; HEAD has that of GET. */
export function findOperation(
  { paths }: OpenApiDocument,
  { method, url }: Request,
): DocumentedOperation | undefined {
  const [path = ''] = url.split('?')
  const name = method === 'HEAD' ? 'get' : method.toLowerCase()
  const template = paths[path] ? path : Object.keys(paths).find((one) => isOfTemplate(path, one))
  return template === undefined ? undefined : paths[template]?.[name]
}

function isOfTemplate(path: string, template: string): boolean {
  const pattern = template
    .replaceAll('.', '\\.')
    // Where a name ends within a segment, find-my-way lets no line break be part of the value.
    .replaceAll(/\{\w+\}(?=\\)/g, '(?:(?!%0[AD]|%E2%80%A[89])[^/])+')
    .replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${pattern}$`).test(path)
}

function findMissingFields(
  { headers = {} }: ResponseDoc,
  received: GivenResponse,
): readonly string[] {
  return Object.entries(headers as Readonly<Record<string, Header>>)
    .filter(
      ([name, { required }]) => required && received.headers[name.toLowerCase()] === undefined,
    )
    .map(([name]) => `${name} is missing`)
}

function findWrongContent({ content = {} }: ResponseDoc, { headers, body }: GivenResponse) {
  const [type = ''] = String(headers['content-type']).split(';')
  const documented = content[type] ?? content['*/*']
  if (documented === undefined) return [`${type} is not documented: ${body}`]
  if (!/[/+]json$/.test(type) || documented.schema === undefined) return []
  const [isValid, errors] = toValidator(documented.schema).Errors(JSON.parse(body))
  return isValid ? [] : [`${body} is not as documented: ${JSON.stringify(errors)}`]
}

const validators = new WeakMap<Schema, Validator>()

function toValidator(schema: Schema): Validator {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  return validator
}
