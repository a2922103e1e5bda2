import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fieldsOf, openRecord, openStored, readRecord } from '../../../test/support/resources.ts'
import { useApp } from '../../../test/support/test-app.ts'
import { verifyPassword } from '../../auth/passwords.ts'

const jsonPatch = 'application/json-patch+json'
const mergePatch = 'application/merge-patch+json'

const rome = { name: 'Rome', latitude: 41.9, longitude: 12.5, note: 'old' }

const shared = useApp()

/** A new place and a way to patch it. */
async function openPlace() {
  const { app, url } = await openRecord(shared(), '/places', rome)
  const patch = async (type: string, content: unknown, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'PATCH',
      url,
      headers: { 'content-type': type, accept: 'application/json', ...headers },
      payload: JSON.stringify(content),
    })
  return { app, url, patch, read: async () => readRecord(app, url) }
}

const changes: readonly [title: string, type: string, patch: unknown, result: object][] = [
  ['a member', mergePatch, { name: 'Roma' }, { ...rome, name: 'Roma' }],
  ['nothing', mergePatch, {}, rome],
  ['null', mergePatch, { note: null }, { name: 'Rome', latitude: 41.9, longitude: 12.5 }],
  ['an unknown field', mergePatch, { colour: { red: 1 } }, rome],
  ['no operation', jsonPatch, [], rome],
  [
    'add, replace and remove',
    jsonPatch,
    [
      { op: 'replace', path: '/name', value: 'Roma' },
      { op: 'remove', path: '/note' },
      { op: 'add', path: '/note', value: 'new' },
      { op: 'remove', path: '/latitude' },
      { op: 'remove', path: '/longitude' },
    ],
    { name: 'Roma', note: 'new' },
  ],
  [
    'move and copy',
    jsonPatch,
    [
      { op: 'copy', from: '/name', path: '/note' },
      { op: 'move', from: '/longitude', path: '/latitude' },
      { op: 'copy', from: '/latitude', path: '/longitude' },
    ],
    { name: 'Rome', latitude: 12.5, longitude: 12.5, note: 'Rome' },
  ],
  [
    'a test that holds',
    jsonPatch,
    [
      { op: 'test', path: '/latitude', value: 41.9 },
      { op: 'add', path: '/note', value: 'tested', comment: 'other members are passed over' },
    ],
    { ...rome, note: 'tested' },
  ],
  ['an unknown field in an operation', jsonPatch, [{ op: 'add', path: '/colour', value: 1 }], rome],
]

suite('a valid patch is applied', () => {
  for (const [title, type, content, result] of changes) {
    test(`${type} with ${title}`, async () => {
      const { patch, read } = await openPlace()
      const response = await patch(type, content)
      assert.equal(response.statusCode, 200, response.body)
      assert.deepEqual(fieldsOf(await read()), result)
    })
  }
})

const set = { op: 'replace', path: '/name', value: 'Changed' }
const rejected: readonly [status: number, type: string, patch: unknown][] = [
  [409, jsonPatch, [set, { op: 'test', path: '/name', value: 'Rome' }]],
  [409, jsonPatch, [set, { op: 'remove', path: '/nothing' }]],
  [409, jsonPatch, [set, { op: 'add', path: '/note/deeper', value: 1 }]],
  [422, jsonPatch, [set, { op: 'replace', path: '', value: {} }]],
  [422, jsonPatch, [set, { op: 'copy', from: '', path: '/note' }]],
  [400, jsonPatch, { name: 'Changed' }],
  [400, jsonPatch, [set, { op: 'unknown', path: '/name' }]],
  [400, jsonPatch, [set, { op: 'add', path: '/note', value: 'a\0b' }]],
  [422, jsonPatch, [set, { op: 'replace', path: '/_id', value: 'mine' }]],
  [422, jsonPatch, [set, { op: 'remove', path: '/_id' }]],
  [422, jsonPatch, [set, { op: 'replace', path: '/createdAt', value: 'now' }]],
  [422, jsonPatch, [set, { op: 'remove', path: '/updatedAt' }]],
  [422, jsonPatch, [set, { op: 'remove', path: '/latitude' }]],
  [422, jsonPatch, [set, { op: 'replace', path: '/latitude', value: 'north' }]],
  [422, jsonPatch, [set, { op: 'replace', path: '/note', value: null }]],
  [422, jsonPatch, [{ op: 'remove', path: '/name' }]],
  [422, mergePatch, { name: 'Changed', _id: 'mine' }],
  [422, mergePatch, { name: 'Changed', createdAt: null }],
  [422, mergePatch, { name: 'Changed', updatedAt: '2020-01-01T00:00:00.000Z' }],
  [422, mergePatch, { name: 'Changed', latitude: { deep: 1 } }],
  [422, mergePatch, { name: null }],
  [422, mergePatch, ['Changed']],
  [422, mergePatch, null],
  [400, mergePatch, { name: 'a\0b' }],
]

suite('an invalid patch changes nothing', () => {
  for (const [status, type, content] of rejected) {
    test(`${String(status)} for ${type} ${JSON.stringify(content)}`, async () => {
      const { patch, read } = await openPlace()
      const before = await read()
      const response = await patch(type, content)
      assert.equal(response.statusCode, status, response.body)
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
      assert.deepEqual(await read(), before)
    })
  }
})

test('the JSON of GET is a valid merge patch, and its values match in the tests of a JSON Patch', async () => {
  const { patch, read } = await openPlace()
  const { _id, createdAt, updatedAt } = await read()
  const tests = Object.entries({ _id, createdAt, updatedAt })
    .map(([name, value]) => ({ op: 'test', path: `/${name}`, value }))
    .concat({ op: 'replace', path: '/name', value: 'Roma' })
  assert.equal((await patch(jsonPatch, tests)).statusCode, 200)
  assert.equal((await patch(mergePatch, { ...(await read()), name: 'Rom' })).statusCode, 200)
  assert.equal((await read()).name, 'Rom')
})

test('strict handling rejects unknown fields in either patch format', async () => {
  const { patch } = await openPlace()
  const headers = { prefer: 'handling=strict' }
  const operations = [{ op: 'add', path: '/colour', value: 'red' }]
  for (const response of [
    await patch(mergePatch, { colour: 'red' }, headers),
    await patch(jsonPatch, operations, headers),
  ]) {
    assert.equal(response.statusCode, 422)
    assert.match(response.body, /#\/colour/)
    assert.equal(response.headers['preference-applied'], undefined)
  }
})

test('a password can be set with a patch, and neither read nor tested', async (t) => {
  const fields = { name: 'Ann', password: 'old' }
  const { app, url, readStored } = await openStored(t, '/people', fields)
  const isPassword = async (text: string) =>
    verifyPassword(text, String((await readStored())?.document.password))
  const patch = async (type: string, content: unknown) =>
    app.inject({
      method: 'PATCH',
      url,
      headers: { 'content-type': type },
      payload: JSON.stringify(content),
    })
  const rows: [status: number, type: string, content: unknown][] = [
    [409, jsonPatch, [{ op: 'test', path: '/password', value: 'old' }]],
    [422, jsonPatch, [{ op: 'copy', from: '/password', path: '/name' }]],
    [422, jsonPatch, [{ op: 'move', from: '/password', path: '/name' }]],
    [422, jsonPatch, [{ op: 'remove', path: '/password' }]],
    [422, jsonPatch, [{ op: 'replace', path: '/password', value: '' }]],
    [422, mergePatch, { password: null }],
    [200, mergePatch, { name: 'Anna' }],
  ]
  for (const [status, type, content] of rows) {
    await t.test(JSON.stringify(content), async () => {
      const response = await patch(type, content)
      assert.equal(response.statusCode, status)
      assert.doesNotMatch(response.body, /argon2/)
    })
  }
  assert.ok(await isPassword('old'))
  const operations = [{ op: 'replace', path: '/password', value: 'newer' }]
  assert.equal((await patch(jsonPatch, operations)).statusCode, 200)
  assert.ok(await isPassword('newer'))
  assert.equal((await patch(mergePatch, { password: 'newest' })).statusCode, 200)
  assert.ok(await isPassword('newest'))
})

test('of twenty concurrent JSON Patches that test the same value, one is applied', async () => {
  const { patch, read } = await openPlace()
  const responses = await Promise.all(
    Array.from({ length: 20 }, async (_, index) =>
      patch(jsonPatch, [
        { op: 'test', path: '/note', value: 'old' },
        { op: 'replace', path: '/note', value: String(index) },
      ]),
    ),
  )
  const winners = responses.flatMap(({ statusCode }, index) => (statusCode === 200 ? [index] : []))
  assert.equal(winners.length, 1)
  assert.equal(responses.filter(({ statusCode }) => statusCode === 409).length, 19)
  assert.equal((await read()).note, String(winners[0]))
})

test('patch formats are accepted for PATCH only', async (t) => {
  const { app, url } = await openPlace()
  for (const type of [jsonPatch, mergePatch]) {
    for (const [method, to] of [
      ['POST', '/places'],
      ['PUT', url],
    ] as const) {
      await t.test(`${method} ${type}`, async () => {
        const headers = { 'content-type': type }
        const response = await app.inject({ method, url: to, headers, payload: '{"name":"a"}' })
        assert.equal(response.statusCode, 415)
      })
    }
  }
})

test('Prefer: return= selects how much of the result the response contains', async () => {
  const { app, url, patch } = await openPlace()
  const minimal = await patch(mergePatch, { note: 'a' }, { prefer: 'return=minimal' })
  assert.equal(minimal.statusCode, 204)
  assert.equal(minimal.body, '')
  assert.equal(minimal.headers['preference-applied'], 'return=minimal')
  const whole = await patch(mergePatch, { note: 'b' }, { prefer: 'return=representation' })
  assert.equal(whole.statusCode, 200)
  assert.equal(whole.headers['preference-applied'], 'return=representation')
  assert.equal(whole.headers['content-location'], url)
  assert.deepEqual(whole.json(), await readRecord(app, url))
  const prefer = { prefer: 'return=minimal' }
  const created = await app.inject({
    method: 'POST',
    url: '/places',
    headers: prefer,
    payload: rome,
  })
  assert.deepEqual([created.statusCode, created.body], [201, ''])
  const { location } = created.headers
  assert.equal((await app.inject(String(location))).statusCode, 200)
  const put = { method: 'PUT', url: '/places/put', headers: prefer, payload: rome } as const
  assert.deepEqual((await app.inject(put)).statusCode, 201)
  assert.deepEqual((await app.inject(put)).statusCode, 204)
})

test('PUT with Content-Range is rejected, and changes nothing', async () => {
  const app = shared()
  const url = '/places/part'
  const headers = { 'content-range': 'bytes 0-9/20' }
  assert.equal((await app.inject({ method: 'PUT', url, headers, payload: rome })).statusCode, 400)
  assert.equal((await app.inject(url)).statusCode, 404)
})
