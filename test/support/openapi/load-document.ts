import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts'

/** The document as clients get it, with every reference resolved. */
export async function loadDocument(app: FastifyInstance): Promise<OpenApiDocument> {
  const response = await app.inject('/openapi.json')
  assert.equal(response.statusCode, 200)
  const document = response.json<OpenApiDocument>()
  const resolved = new Map<string, unknown>()
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    if ('$ref' in value) {
      const reference = String(value.$ref)
      const found = resolved.get(reference) ?? resolve(find(document, reference))
      resolved.set(reference, found)
      return found
    }
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part)]))
  }
  return resolve(document) as OpenApiDocument
}

function find(document: object, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document)
}
