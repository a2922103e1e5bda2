import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  asForm,
  createRecord,
  fieldsOf,
  findStored,
  readRecord,
  temporaryDatabase,
  type Shown,
} from '../../test/support/resources.ts'
import { testApp } from '../../test/support/test-app.ts'
import { defineResource } from './definition.ts'
import { toResourceDemo } from './routes.ts'

const books = defineResource({
  name: 'books',
  singular: 'book',
  title: 'Books',
  summary: 'Things to read.',
  schema: {
    type: 'object',
    required: ['title', 'pages'],
    properties: {
      title: { type: 'string', title: 'Title', minLength: 1, maxLength: 100 },
      pages: { type: 'number', title: 'Pages', minimum: 1 },
      combination: { type: 'string', title: 'Lock', minLength: 4, writeOnly: true },
      review: { type: 'string', title: 'Review', maxLength: 500 },
    },
  },
})
const emma = { title: 'Emma', pages: 474, combination: '4711', review: 'Clever' }
const shownEmma = { title: 'Emma', pages: 474, review: 'Clever' }

async function library(t: TestContext, settings: Record<string, string> = {}) {
  return testApp(t, { demos: [toResourceDemo(books)], settings })
}

test('another resource has its list, its forms and its records', async (t) => {
  const app = await library(t)
  const { _id } = await createRecord(app, '/books', emma)
  assert.deepEqual(fieldsOf(await readRecord(app, `/books/${_id}`)), shownEmma)
  const pages = [
    ['/books', 'Emma'],
    [`/books/${_id}`, 'Clever'],
    ['/books/new', 'action="/books/"'],
    [`/books/${_id}/edit`, `action="/books/${_id}/"`],
  ] as const
  for (const [url, content] of pages) {
    for (const slash of ['', '/']) {
      await t.test(`${url} ${content} ${slash}`, async () => {
        const { statusCode, headers, body } = await app.inject(url + slash)
        assert.equal(statusCode, 200)
        assert.equal(headers['content-type'], 'text/html; charset=utf-8')
        assert.ok(body.includes(content))
        assert.ok(!body.includes('4711'))
      })
    }
  }
})

test('another resource has JSON, and text with the name of its first field', async (t) => {
  const app = await library(t)
  const { _id } = await createRecord(app, '/books', emma)
  const list = await app.inject({ url: '/books', headers: { accept: 'application/json' } })
  assert.deepEqual(list.json<Shown[]>().map(fieldsOf), [shownEmma])
  const text = await app.inject({ url: '/books', headers: { accept: 'text/plain' } })
  assert.equal(text.body, `${_id} Emma\n`)
  const one = await app.inject({ url: `/books/${_id}`, headers: { accept: 'text/plain' } })
  assert.match(one.body, /^title: Emma$/m)
})

test('another resource has a form with its fields', async (t) => {
  const app = await library(t)
  const { body } = await app.inject('/books/new')
  const tag = (name: string) =>
    new RegExp(`<(?:input|textarea)[^>]* name="${name}"[^>]*>`).exec(body)?.[0] ?? ''
  assert.match(tag('title'), /type="text"/)
  assert.match(tag('title'), /\brequired\b/)
  assert.match(tag('pages'), /type="number"/)
  assert.match(tag('pages'), /min="1"/)
  assert.doesNotMatch(tag('pages'), /max=/)
  assert.match(tag('combination'), /type="password"/)
  assert.doesNotMatch(tag('combination'), /\brequired\b/)
  assert.match(tag('review'), /^<textarea/)
})

test('another resource is created with a form and with JSON', async (t) => {
  const app = await library(t)
  for (const request of [asForm(emma), { payload: emma }]) {
    const response = await app.inject({ method: 'POST', url: '/books', ...request })
    assert.equal(response.statusCode, 201)
    const location = String(response.headers.location)
    assert.match(location, /^\/books\//)
    assert.deepEqual(fieldsOf(await readRecord(app, location)), shownEmma)
  }
})

test('another resource is changed, replaced and deleted', async (t) => {
  const databaseUrl = await temporaryDatabase(t)
  const app = await library(t, { DATABASE_URL: databaseUrl })
  const { _id } = await createRecord(app, '/books', emma)
  const url = `/books/${_id}`
  const patched = await app.inject({ method: 'PATCH', url, payload: { pages: 500, review: null } })
  const data = { redirect: url }
  assert.deepEqual(patched.json(), { data, status: { code: 0, msg: 'delete success' } })
  const { combination, ...readable } = (await findStored(databaseUrl, 'books', _id))?.document ?? {}
  assert.deepEqual(readable, { title: 'Emma', pages: 500 })
  assert.match(String(combination), /^\$argon2id\$/)

  const replaced = await app.inject({ method: 'PUT', url, payload: { title: 'Ema', pages: 1 } })
  assert.equal(replaced.statusCode, 200)
  assert.deepEqual(fieldsOf(replaced.json<Shown>()), { title: 'Ema', pages: 1 })
  const created = await app.inject({ method: 'PUT', url: '/books/mine', payload: emma })
  assert.equal(created.statusCode, 201)

  const removed = await app.inject({ method: 'DELETE', url })
  assert.deepEqual(removed.json(), { data: {}, status: { code: 0, msg: 'delete success' } })
  assert.equal((await app.inject(url)).statusCode, 404)
})

test('another resource validates by its own rules, and errors name its fields', async (t) => {
  const app = await library(t)
  const cases: [payload: Record<string, unknown>, pointers: string[]][] = [
    [{}, ['#/pages', '#/title']],
    [{ ...emma, pages: 0 }, ['#/pages']],
    [{ ...emma, pages: '474' }, ['#/pages']],
    [{ ...emma, title: 'x'.repeat(101) }, ['#/title']],
    [{ ...emma, combination: '123' }, ['#/combination']],
    [{ ...emma, review: 'x'.repeat(501) }, ['#/review']],
  ]
  const headers = { accept: 'application/json' }
  for (const [payload, pointers] of cases) {
    const response = await app.inject({ method: 'POST', url: '/books', headers, payload })
    assert.equal(response.statusCode, 422)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    assert.deepEqual(errors.map(({ pointer }) => pointer).toSorted(), pointers)
  }
  const form = await app.inject({
    method: 'POST',
    url: '/books',
    ...asForm({ ...emma, pages: 'many' }),
  })
  assert.equal(form.statusCode, 422)
  assert.match(form.body, /value="many"/)
  assert.ok(!form.body.includes('4711'))
})

test('another resource is on the home page', async (t) => {
  const app = await library(t)
  const { body } = await app.inject('/')
  for (const content of ['Books', 'Things to read.', 'href="/books"', 'href="/demos/books"']) {
    await t.test(content, () => {
      assert.ok(body.includes(content))
    })
  }
})

test('records of one resource are not found in another', async (t) => {
  const films = defineResource({ ...books, name: 'films', singular: 'film', title: 'Films' })
  const app = await testApp(t, { demos: [toResourceDemo(books), toResourceDemo(films)] })
  const { _id } = await createRecord(app, '/books', emma)
  assert.equal((await app.inject(`/films/${_id}`)).statusCode, 404)
  const payload = { ...emma, title: 'Clueless' }
  assert.equal((await app.inject({ method: 'PUT', url: `/films/${_id}`, payload })).statusCode, 201)
  assert.equal((await readRecord(app, `/books/${_id}`)).title, 'Emma')
})
