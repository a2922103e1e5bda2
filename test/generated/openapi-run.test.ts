import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../support/data-app.ts'
import { findUndocumented } from '../support/openapi/documented.ts'
import { loadDocument } from '../support/openapi/load-document.ts'
import { anyRequest } from '../support/openapi/requests.ts'
import { samples } from '../support/resources.ts'
import { catalogueApp } from '../support/test-app.ts'
import { upload } from '../support/uploads.ts'

/** How many requests are sent, and which: `OPENAPI_REQUESTS=10000 OPENAPI_SEED=7`. */
const { OPENAPI_REQUESTS: count = '1000', OPENAPI_SEED: seed = '4' } = process.env

const ids = ['one', '200', '404', 'not-found']

/** A record of each resource, which requests may hit and delete. */
async function keepRecords(app: FastifyInstance): Promise<void> {
  for (const { path, fields } of samples) {
    await app.inject({ method: 'PUT', url: `${path}/one`, payload: fields })
  }
}

test(`${count} requests generated from the document get only documented responses`, async (t) => {
  const app = await catalogueApp(t)
  const document = await loadDocument(app)
  const statuses = new Map<number, number>()
  const { _id } = await upload(app, 'glass')
  let sent = 0
  const property = fc.asyncProperty(anyRequest(document, [...ids, _id]), async (request) => {
    if (sent % 50 === 0) await keepRecords(app)
    sent += 1
    const response = await app.inject(request)
    statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1)
    assert.deepEqual(findUndocumented(document, request, response), [])
    const isRequested = /\/(status\/|unstable)|[?&](status|steps)=[^&]*500/.test(request.url)
    assert.ok(response.statusCode !== 500 || isRequested, response.body)
  })
  await fc.assert(property, { numRuns: Number(count), seed: Number(seed) })
  t.diagnostic(
    [...statuses].map(([status, times]) => `${String(status)}: ${String(times)}`).join(', '),
  )
  assert.ok(statuses.size > 10)
})

const person = {
  email: { type: 'string', format: 'email', 'x-unique': true },
  pin: { type: 'string', writeOnly: true },
}
const authorId = { 'x-references': { resource: 'authors', onDelete: 'cascade' } }
const contents = {
  $schema: {
    authors: { required: ['name'], properties: person },
    posts: { properties: { authorId } },
  },
  authors: [{ id: 'one', name: 'Ann', email: 'ann@example.com' }],
  posts: [
    { id: 200, title: 'One', authorId: 'one', rating: 1.5, tags: ['a'], place: { city: 'Rome' } },
  ],
  settings: { theme: 'dark' },
}

test('requests to a data file with a schema, relations, events and the test API get only documented responses', async (t) => {
  const app = await dataApp(t, contents, { settings: { TEST_API: 'on', DEMOS: 'status' } })
  const document = await loadDocument(app)
  let sent = 0
  const property = fc.asyncProperty(anyRequest(document, ids), async (request) => {
    if (sent % 50 === 0) await app.inject({ method: 'POST', url: '/_vitrine/reset' })
    sent += 1
    const response = await app.inject(request)
    assert.deepEqual(findUndocumented(document, request, response), [])
  })
  await fc.assert(property, { numRuns: 1000, seed: Number(seed) })
})
