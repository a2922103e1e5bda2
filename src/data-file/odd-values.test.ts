import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp, dataFile } from '../../test/support/data-app.ts'
import { findUndocumented } from '../../test/support/openapi/documented.ts'
import { loadDocument } from '../../test/support/openapi/load-document.ts'
import { asForm, browserAccept } from '../../test/support/resources.ts'
import { resolve } from '../http/openapi/component.ts'
import {
  spawnVitrine,
  findOrigin,
  settingsIn,
  temporaryFolder,
} from '../../test/support/start-vitrine.ts'
import { findInvalid } from '../../test/support/valid-html.ts'

const values = {
  nextId: 3,
  version: '1.2',
  isOpen: false,
  nothing: null,
  tags: ['a', 'b'],
  lists: [[1], []],
  mixed: [{ id: 1 }, 'x'],
  nulls: [null],
}

for (const [name, value] of Object.entries(values)) {
  test(`GET has the value ${JSON.stringify(value)}, and PUT replaces it`, async (t) => {
    const app = await dataApp(t, { [name]: value, posts: [] })
    const url = `/${name}`
    const first = await app.inject(url)
    assert.deepEqual([first.statusCode, first.json()], [200, value])
    const etag = String(first.headers.etag)
    const put = (payload: string, headers = {}) =>
      app.inject({
        method: 'PUT',
        url,
        payload,
        headers: { 'content-type': 'application/json', ...headers },
      })
    assert.equal((await put('"new"', { 'if-match': etag })).statusCode, 200)
    assert.equal((await app.inject(url)).json(), 'new')
    assert.equal((await put('4', { 'if-match': etag })).statusCode, 412)
    assert.equal((await put('')).statusCode, 400)
    assert.equal((await put('a=1', { 'content-type': 'text/plain' })).statusCode, 415)
    assert.equal((await put('"\\u0000"')).statusCode, 400)
    assert.equal((await app.inject(url)).json(), 'new')
    const unlisted = await app.inject({ method: 'PATCH', url, payload: {} })
    assert.deepEqual(
      [unlisted.statusCode, unlisted.headers.allow],
      [405, 'GET, HEAD, PUT, OPTIONS'],
    )
    const page = await app.inject({ url, headers: { accept: browserAccept } })
    assert.match(page.body, /&quot;new&quot;|"new"/)
    assert.deepEqual(await findInvalid(page.body, url), [])
  })
}

const json = { 'content-type': 'application/json' }

test('a value is in OpenAPI as it responds', async (t) => {
  const app = await dataApp(t, { nextId: 3 })
  const document = await loadDocument(app)
  const { get, put } = document.paths['/nextId'] ?? {}
  assert.deepEqual(Object.keys(document.paths['/nextId'] ?? {}), ['get', 'put'])
  const { headers = {} } = resolve(get?.responses[200] ?? { description: '' })
  assert.ok(!('Accept-Patch' in headers))
  assert.deepEqual(Object.keys(put?.responses ?? {}).slice(0, 3), ['200', '204', '303'])
  const minimal = { prefer: 'return=minimal' }
  const requests = [
    { method: 'PUT', url: '/nextId', headers: json, payload: '4' },
    { method: 'PUT', url: '/nextId', headers: { ...json, ...minimal }, payload: '5' },
    { method: 'PUT', url: '/nextId', ...asForm({ value: 6 }) },
  ] as const
  for (const request of requests) {
    const response = await app.inject(request)
    assert.deepEqual(findUndocumented(document, request, response), [])
  }
})

for (const payload of ['4', 'foo=4', '', 'Value=4'])
  test(`a form for a value without the field value is rejected: ${payload}`, async (t) => {
    const app = await dataApp(t, { nextId: 3 })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const put = await app.inject({ method: 'PUT', url: '/nextId', headers, payload })
    assert.equal(put.statusCode, 422)
    assert.match(put.body, /value is required in a form/)
    assert.equal((await app.inject('/nextId')).json(), 3)
  })

const patchesWithPrototype: Readonly<Record<string, readonly unknown[]>> = {
  'application/json-patch+json': [
    [{ op: 'add', path: '/constructor', value: { prototype: { x: 1 } } }],
    [
      { op: 'add', path: '/a', value: { prototype: 1 } },
      { op: 'move', from: '/a', path: '/constructor' },
    ],
    [
      { op: 'add', path: '/a', value: { constructor: 1 } },
      { op: 'replace', path: '/a/constructor', value: { prototype: null } },
    ],
  ],
  'application/merge-patch+json': [{ constructor: { prototype: 1 } }],
  'application/json': [{ constructor: { prototype: 1 } }],
}
for (const [type, patches] of Object.entries(patchesWithPrototype))
  for (const patch of patches)
    test(`no PATCH stores constructor.prototype: ${JSON.stringify(patch)}`, async (t) => {
      const app = await dataApp(t, { profile: { a: { b: 1 } } })
      const headers = { 'content-type': type }
      const payload = JSON.stringify(patch)
      const sent = await app.inject({ method: 'PATCH', url: '/profile', headers, payload })
      assert.equal(sent.statusCode, 400)
      assert.deepEqual((await app.inject('/profile')).json(), { a: { b: 1 } })
    })

for (const type of ['application/merge-patch+json', 'application/json'])
  test(`a PATCH as ${type} names a field _method that overrides nothing`, async (t) => {
    const app = await dataApp(t, { profile: { name: 'a' } })
    const headers = { 'content-type': type }
    const payload = '{"_method":"FOO","name":"b"}'
    const sent = await app.inject({ method: 'PATCH', url: '/profile', headers, payload })
    assert.deepEqual([sent.statusCode, sent.json()], [200, { name: 'b' }])
    assert.equal(sent.headers['vitrine-ignored-fields'], '_method')
  })

test('fields with the names of a parameter and of a filter are documented as the filters that they are', async (t) => {
  const things = [{ id: 1, embed: 'a', x: 1, 'x:gte': 2, tags: ['a'], 'tags:contains': 'b' }]
  const app = await dataApp(t, { things, parts: [{ id: 1, thingId: 1 }] })
  const { paths } = await loadDocument(app)
  const all = paths['/things']?.get?.parameters?.map((one) => resolve(one)) ?? []
  const names = all.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  for (const name of ['embed', 'embed:contains', 'x', 'x:gte', 'x:gte:gte', 'tags:contains'])
    assert.ok(names.includes(name), name)
  assert.equal(all.find(({ name }) => name === 'embed')?.explode, undefined)
  for (const [query, count] of [
    ['embed=a', 1],
    ['x:gte=2', 1],
    ['x:gte=1', 0],
  ] as const)
    assert.equal((await app.inject(`/things?${query}`)).json<object[]>().length, count, query)
})

const names = [
  '_x',
  'a.b',
  'my posts',
  '作品',
  '😀',
  "it's",
  'a(b',
  'a@b:c',
  '$&+,;=',
  '100%',
  'a%20b',
  '{c}',
  '<b>',
  'constructor',
  'x'.repeat(200),
]

for (const name of names) {
  test(`the resource ${name.slice(0, 20)} has paths, pages and a link on the home page`, async (t) => {
    const app = await dataApp(t, { [name]: [{ id: 1, a: 1 }], kids: [{ id: 1 }] })
    const path = `/${encodeURIComponent(name)}`
    assert.deepEqual((await app.inject(path)).json(), [{ id: 1, a: 1 }])
    assert.deepEqual((await app.inject(`${path}.json`)).json(), [{ id: 1, a: 1 }])
    const created = await app.inject({ method: 'POST', url: path, payload: { a: 2 } })
    assert.equal(created.statusCode, 201)
    assert.deepEqual((await app.inject(String(created.headers.location))).json(), { id: 2, a: 2 })
    for (const url of [
      '/',
      path,
      `${path}/1`,
      `${path}/new`,
      `/demos/${encodeURIComponent(name)}`,
    ]) {
      const { statusCode, body } = await app.inject({ url, headers: { accept: browserAccept } })
      assert.deepEqual([statusCode, await findInvalid(body, url)], [200, []])
      if (url === '/') assert.ok(body.includes(`href="${path.replaceAll("'", '&#39;')}"`))
    }
  })
}

test('an id that no record can have gets the next free one, with a line', async (t) => {
  const ids = [7, 7, '7', 1.5, null, {}, '', 'new', 'a.json', undefined, 8]
  const file = await dataFile(t, { posts: ids.map((id) => ({ id, a: 1 })) })
  const settings = { PORT: '0', ...settingsIn(await temporaryFolder(t)) }
  const started = spawnVitrine(settings, [file])
  t.after(() => started.process.kill('SIGKILL'))
  const origin = await findOrigin(started)
  const posts = (await (await fetch(`${origin}/posts`)).json()) as { id: unknown }[]
  assert.deepEqual(
    posts.map(({ id }) => id),
    [7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 8],
  )
  const lines = started
    .output()
    .split('\n')
    .filter((line) => line.includes('it gets the id'))
  assert.equal(lines.length, 8)
  assert.match(String(lines[0]), /posts\[1\] has the id 7 of posts\[0\]: it gets the id 9$/)
  assert.match(
    String(lines[2]),
    /posts\[3\]: its id must be text or a whole number: it gets the id 11$/,
  )
})

for (const [text, stored] of [
  ['3', 3],
  ['{"a":[1]}', { a: [1] }],
  ['plain text', 'plain text'],
  ['"4"', '4'],
  ['', null],
] as const) {
  test(`the form of a value saves ${text} without a script`, async (t) => {
    const app = await dataApp(t, { nextId: 3 })
    const headers = { accept: browserAccept }
    const page = await app.inject({ url: '/nextId', headers })
    assert.match(page.body, /href="\/nextId\/edit"/)
    const form = await app.inject({ url: '/nextId/edit', headers })
    assert.deepEqual(await findInvalid(form.body, '/nextId/edit'), [])
    const [, tag = ''] = /name="_if_match" value="([^"]*)"/.exec(form.body) ?? []
    const _if_match = tag.replaceAll('&quot;', '"')
    const send = (value: string) => {
      const body = asForm({ _method: 'PUT', _if_match, '_was.value': '3', value })
      const request = { method: 'POST', url: '/nextId/', ...body } as const
      return app.inject({ ...request, headers: { ...headers, ...body.headers } })
    }
    const saved = await send(text)
    assert.deepEqual([saved.statusCode, saved.headers.location], [303, '/nextId'])
    assert.deepEqual((await app.inject('/nextId')).json(), stored)
    // The form is outdated now, unless it changed nothing.
    const again = await send('5')
    assert.equal(again.statusCode, text === '3' ? 303 : 412)
    if (again.statusCode === 412) assert.match(again.body, /name="_method" value="PUT"/)
  })
}

test('a schema that is given for a value is checked, in JSON and in the form', async (t) => {
  const schema = { nextId: { type: 'integer', minimum: 1 } }
  const app = await dataApp(t, { nextId: 3 }, { schema })
  const put = async (payload: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'PUT', url: '/nextId', headers } as const
    return (await app.inject({ ...request, payload: JSON.stringify(payload) })).statusCode
  }
  for (const value of ['4', 0, 1.5, null, [], {}, true]) assert.equal(await put(value), 422)
  assert.equal((await app.inject('/nextId')).body, '3')
  assert.equal(await put(4), 200)
  const form = asForm({ value: '0' })
  const headers = { ...form.headers, accept: browserAccept }
  const failed = await app.inject({ method: 'PUT', url: '/nextId', ...form, headers })
  assert.equal(failed.statusCode, 422)
  assert.match(failed.body, /type="number" step="1" min="1" value="0"/)
  await assert.rejects(dataApp(t, { nextId: 'x' }, { schema }), /must be/)
})
