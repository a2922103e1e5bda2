import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { asForm } from '../../../test/support/resources.ts'
import type { TestApp } from '../../../test/support/test-app.ts'

const data = { posts: [{ id: 1, title: 'One', tags: ['a', 'b'] }] }
const html = { accept: 'text/html' }

const toMarkup = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function textOf(page: string, name = 'tags'): string | undefined {
  const pattern = new RegExp(`<textarea [^>]*name="${name}"[^>]*>\\n([^]*?)</textarea>`)
  return pattern.exec(page)?.[1]
}

const readTags = async (app: TestApp, url: string) =>
  (await app.inject(url)).json<{ tags?: unknown }>().tags

const lists: [text: string, tags: readonly unknown[]][] = [
  ['', []],
  ['a', ['a']],
  ['a\r\nb', ['a', 'b']],
  ['a\nb\rc', ['a', 'b', 'c']],
  ['\r\n a \r\n\r\n\tb\r\n', ['a', 'b']],
  ['a, b', ['a, b']],
  ['"a"', ['"a"']],
  ['[draft]', ['[draft]']],
  ['{name}', ['{name}']],
  ['null', ['null']],
  ['1\r\ntrue', ['1', 'true']],
  ['<b>&amp;', ['<b>&amp;']],
  ['مقهى', ['مقهى']],
  ['["a","b\\nc"]', ['a', 'b\nc']],
  [' [ ] ', []],
]

for (const [text, tags] of lists) {
  test(`the lines ${JSON.stringify(text)} are the list ${JSON.stringify(tags)}`, async (t) => {
    const app = await dataApp(t, data)
    const { headers, payload } = asForm({ title: 'Two', tags: text })
    const created = await app.inject({ method: 'POST', url: '/posts', headers, payload })
    assert.equal(created.statusCode, 201, created.body)
    assert.deepEqual(await readTags(app, String(created.headers.location)), tags)
    const put = asForm({ _method: 'PATCH', tags: text, '_was.tags': 'a\r\nb' })
    await app.inject({ method: 'POST', url: '/posts/1', ...put })
    assert.deepEqual(await readTags(app, '/posts/1'), tags)
  })
}

const shown: [tags: unknown, text: string | undefined][] = [
  [[], ''],
  [['a', 'b c'], 'a\nb c'],
  [['[draft]', 'x'], '[draft]\nx'],
  [['a\nb'], undefined],
  [['a\u2028b'], undefined],
  [['a', ''], undefined],
  [[' a'], undefined],
  [['["a"]'], undefined],
  [['[1] one'], undefined],
  [['{"a":1}'], undefined],
  [['a', 1], undefined],
  [['a', null], undefined],
  [['a', ['b']], undefined],
  [{ a: 'b' }, undefined],
  [null, ''],
]

for (const [tags, text] of shown) {
  const how = text === undefined ? 'as JSON' : 'by line'
  test(`${JSON.stringify(tags)} is edited ${how}, and an unchanged form keeps it`, async (t) => {
    const settings = { JSON_SERVER: '0.17' }
    const app = await dataApp(t, data, { settings })
    const payload = { title: 'One', tags }
    assert.equal((await app.inject({ method: 'PUT', url: '/posts/1', payload })).statusCode, 200)
    const page = (await app.inject({ url: '/posts/1/edit', headers: html })).body
    const expected = text ?? JSON.stringify(tags, null, 2)
    assert.equal(textOf(page), toMarkup(expected))
    assert.equal(/class="code"/.test(page), text === undefined)
    const lines = expected.replaceAll('\n', '\r\n')
    const typed = { _method: 'PATCH', title: 'Two', tags: lines, '_was.title': 'One' }
    const form = asForm({ ...typed, '_was.tags': lines })
    const saved = await app.inject({
      method: 'POST',
      url: '/posts/1',
      headers: { ...form.headers, ...html },
      payload: form.payload,
    })
    assert.equal(saved.statusCode, 303, saved.body)
    const { id, ...rest } = (await app.inject('/posts/1')).json<Record<string, unknown>>()
    assert.deepEqual([id, rest], [1, { title: 'Two', tags }])
  })
}

const openChecked = (t: TestContext, tags: object, required: string[] = []) => {
  const properties = { title: { type: 'string' }, tags: { type: 'array', ...tags } }
  return dataApp(
    t,
    { posts: [{ id: 1, title: 'One', tags: ['a'] }] },
    {
      schema: { posts: { required, properties } },
    },
  )
}

const rejected: [schema: object, text: string, problem: RegExp][] = [
  [{ items: { type: 'string', maxLength: 3 } }, 'abc\r\nabcd', /tags\[1\] must/i],
  [{ items: { enum: ['a', 'b'] } }, 'a\r\nc', /tags\[1\] must/i],
  [{ items: { type: 'string' }, maxItems: 1 }, 'a\r\nb', /tags must/i],
  [{ items: { type: 'string' }, uniqueItems: true }, 'a\r\na', /tags must/i],
  [
    { items: { type: 'string' } },
    '["a",',
    /tags must have one item per line, or be a list as JSON/i,
  ],
]

for (const [schema, text, problem] of rejected) {
  test(`after an error, ${JSON.stringify(text)} is still in the form`, async (t) => {
    const app = await openChecked(t, schema)
    const form = asForm({ title: 'Two', tags: text })
    const failed = await app.inject({ method: 'POST', url: '/posts', ...form })
    assert.equal(failed.statusCode, 422)
    assert.match(failed.body, problem)
    assert.equal(textOf(failed.body), toMarkup(text.replaceAll('\r\n', '\n')))
  })
}

test('a list that may be empty needs no text, and one that may not is required', async (t) => {
  const items = { type: 'string' }
  const open = async (schema: object, required: string[]) =>
    (await (await openChecked(t, schema, required)).inject({ url: '/posts/new', headers: html }))
      .body
  const toAttributes = (page: string) => /<textarea id="tags"([^>]*)>/.exec(page)?.[1] ?? ''
  assert.doesNotMatch(toAttributes(await open({ items }, ['tags'])), /required/)
  assert.match(toAttributes(await open({ items, minItems: 1 }, ['tags'])), /required/)
})

test('a list that may not be empty is left out when its field is', async (t) => {
  const app = await openChecked(t, { items: { type: 'string' }, minItems: 1 })
  const form = asForm({ title: 'Two', tags: '' })
  const created = await app.inject({ method: 'POST', url: '/posts', ...form })
  assert.equal(created.statusCode, 201, created.body)
  assert.equal(await readTags(app, String(created.headers.location)), undefined)
})

test('a text with a line break in one record leaves the lists of others to be edited by line', async (t) => {
  const records = [
    { id: 1, tags: ['a\nb'] },
    { id: 2, tags: ['a', 'b'] },
    { id: 3, tags: [] },
  ]
  const app = await dataApp(t, { things: records })
  const open = async (id: number) =>
    textOf((await app.inject({ url: `/things/${String(id)}/edit`, headers: html })).body)
  assert.deepEqual([await open(2), await open(3)], ['a\nb', ''])
  assert.match((await open(1)) ?? '', /^\[/)
})

test('lists of other members are edited as JSON, and long texts by line', async (t) => {
  const records = [{ id: 1, sizes: [1], mixed: ['a', 1], long: ['x'.repeat(300)], none: [] }]
  const app = await dataApp(t, { things: records })
  const page = (await app.inject({ url: '/things/1/edit', headers: html })).body
  assert.equal(textOf(page, 'sizes'), '[\n  1\n]')
  assert.match(textOf(page, 'mixed') ?? '', /^\[/)
  assert.equal(textOf(page, 'long'), 'x'.repeat(300))
  assert.equal(textOf(page, 'none'), '[]')
})
