import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertDocumented, type DocumentedRow } from './support/openapi/assert-documented.ts'
import { findUndocumented, type GivenResponse } from './support/openapi/documented.ts'
import { loadDocument } from './support/openapi/load-document.ts'
import { asForm, browserAccept, samples } from './support/resources.ts'
import { catalogueApp } from './support/test-app.ts'

const json = { accept: 'application/json' }
const page = { accept: browserAccept }
const patchType = 'application/json-patch+json'

const rowsOfResource = ({ path, fields }: (typeof samples)[number]): readonly DocumentedRow[] => {
  const one = `${path}/one`
  return [
    { method: 'PUT', url: one, payload: fields, status: 201 },
    { method: 'PUT', url: one, payload: fields, status: 200 },
    {
      method: 'PUT',
      url: one,
      payload: fields,
      headers: { prefer: 'return=minimal' },
      status: 204,
    },
    { method: 'PUT', url: one, payload: fields, headers: { 'if-match': '"old"' }, status: 412 },
    { method: 'PUT', url: `${path}/no.id`, payload: fields, status: 404 },
    { method: 'POST', url: path, payload: fields, headers: json, status: 201 },
    { method: 'POST', url: path, ...asForm(fields), status: 201 },
    { method: 'POST', url: path, payload: {}, headers: json, status: 422 },
    { method: 'POST', url: path, ...asForm({}), status: 422 },
    {
      method: 'POST',
      url: path,
      payload: '{',
      headers: { 'content-type': 'text/html' },
      status: 415,
    },
    {
      method: 'POST',
      url: path,
      payload: fields,
      headers: { origin: 'https://else.where' },
      status: 403,
    },
    { method: 'POST', url: path, payload: fields, headers: { accept: 'image/png' }, status: 406 },
    { url: path, status: 200 },
    { url: path, headers: json, status: 200 },
    { url: `${path}?page=1&per_page=1&sort=-name&fields=name`, headers: json, status: 200 },
    { url: `${path}?page=0`, headers: json, status: 400 },
    { url: `${path}.csv`, status: 200 },
    { url: `${path}.ndjson`, status: 200 },
    { method: 'HEAD', url: path, status: 200 },
    { url: `${path}/new`, status: 200 },
    { url: one, headers: json, status: 200 },
    { url: `${one}.txt`, status: 200 },
    { url: one, headers: { 'if-none-match': '*' }, status: 304 },
    { url: `${path}/nobody`, headers: json, status: 404 },
    { url: `${one}/edit`, status: 200 },
    { method: 'PATCH', url: one, payload: { name: 'Bo' }, status: 200 },
    { method: 'PATCH', url: one, ...asForm({ name: 'Bo' }), status: 303 },
    {
      method: 'PATCH',
      url: one,
      payload: JSON.stringify([{ op: 'test', path: '/name', value: 'Al' }]),
      headers: { 'content-type': patchType },
      status: 409,
    },
    { method: 'PATCH', url: one, payload: { name: 7 }, status: 422 },
    { method: 'DELETE', url: one, headers: page, status: 303 },
    { method: 'DELETE', url: one, status: 404 },
  ]
}

const rows: readonly DocumentedRow[] = [
  ...samples.flatMap(rowsOfResource),
  { url: '/', status: 200 },
  { url: '/health', status: 200 },
  { url: '/health/live', status: 200 },
  { url: '/health/ready', status: 200 },
  { url: '/docs', status: 200 },
  { url: '/docs', headers: { range: 'bytes=0-9' }, status: 206 },
  { url: '/docs', headers: { range: 'bytes=9999999-' }, status: 416 },
  { url: '/docs/getDocs', status: 200 },
  { url: '/docs/nothing', status: 404 },
  { url: '/problems', headers: json, status: 200 },
  { url: '/problems/not-found', headers: json, status: 200 },
  { url: '/problems/nothing', headers: json, status: 404 },
]

test('the responses to typical requests are as documented', async (t) => {
  await assertDocumented(t, await catalogueApp(t), rows)
})

test('a response that differs from the document is detected', async (t) => {
  const document = await loadDocument(await catalogueApp(t))
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const good: GivenResponse = { statusCode: 200, headers, body: '{"status":"ok"}' }
  const request = { method: 'GET', url: '/health' }
  const find = (change: Partial<GivenResponse>, sent = request) =>
    findUndocumented(document, sent, { ...good, ...change }).length
  assert.equal(find({}), 0)
  assert.equal(find({ statusCode: 202 }), 1)
  assert.equal(find({ body: '{"status":1}' }), 1)
  assert.equal(find({ headers: { 'content-type': 'text/csv' } }), 1)
  assert.equal(find({}, { method: 'POST', url: '/health' }), 1)
  assert.equal(find({ statusCode: 303, body: '' }, { method: 'DELETE', url: '/people/one' }), 1)
})
