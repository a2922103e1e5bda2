import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asMultipart } from './multipart-form.ts'
import { findUndocumented, type GivenResponse } from './openapi/documented.ts'
import { loadDocument } from './openapi/load-document.ts'
import type { GivenRequest } from './openapi/requests.ts'
import { asForm, browserAccept, samples } from './resources.ts'
import { testApp } from './test-app.ts'
import { upload } from './uploads.ts'

interface Row extends Partial<Omit<GivenRequest, 'payload'>> {
  url: string
  payload?: string | Buffer | object
  status: number
}

const json = { accept: 'application/json' }
const page = { accept: browserAccept }
const patchType = 'application/json-patch+json'

const rowsOfResource = ({ path, fields }: (typeof samples)[number]): readonly Row[] => {
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

const rows: readonly Row[] = [
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
  { url: '/api/json', status: 200 },
  { url: '/api/get_json_with_param?name=Ann', status: 200 },
  { url: '/api/json?a[b][c][d][e][f][g][h]=1', status: 400 },
  { method: 'POST', url: '/api/post_json_with_param', payload: '{', status: 400 },
  { method: 'POST', url: '/users/post', payload: { a: [1] }, status: 200 },
  {
    method: 'POST',
    url: '/users/post/formdata',
    ...asMultipart([{ name: 'a', content: 'b' }]),
    status: 200,
  },
  {
    method: 'POST',
    url: '/users/post/raw',
    payload: 'a',
    headers: { 'content-type': 'text/plain' },
    status: 200,
  },
  { method: 'PUT', url: '/user/1', status: 200 },
  { url: '/user42', status: 200 },
  { method: 'POST', url: '/profile', payload: '{}', status: 415 },
  { url: '/uploads', headers: json, status: 200 },
  { url: '/uploads/nothing', status: 404 },
  { url: '/login', status: 200 },
  { method: 'POST', url: '/login', payload: { username: 'Nobody', password: 'x' }, status: 401 },
  { method: 'POST', url: '/login', payload: { username: 'Nobody' }, status: 422 },
  { url: '/session', headers: json, status: 200 },
  { url: '/session', status: 302 },
  { method: 'POST', url: '/logout', headers: page, status: 303 },
  { method: 'DELETE', url: '/session', status: 200 },
]

test('the responses to typical requests are as documented', async (t) => {
  const app = await testApp(t)
  const document = await loadDocument(app)
  await upload(app, 'glass')
  for (const { status, method = 'GET', payload, ...row } of rows) {
    await t.test(method, async () => {
      const isText = typeof payload === 'string' && row.headers?.['content-type'] === undefined
      const headers = { ...(isText && { 'content-type': 'application/json' }), ...row.headers }
      const request = { ...row, method, headers, ...(payload !== undefined && { payload }) }
      const response = await app.inject(request)
      const title = `${method} ${row.url} ${JSON.stringify(headers)}`
      assert.equal(response.statusCode, status, `${title}: ${response.body}`)
      assert.deepEqual(findUndocumented(document, request, response), [], title)
    })
  }
})

test('a response that differs from the document is detected', async (t) => {
  const document = await loadDocument(await testApp(t))
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
  assert.equal(find({ statusCode: 303, body: '' }, { method: 'POST', url: '/logout' }), 1)
})
