import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { test } from 'node:test'
import { createRecord, readNames } from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'
import { things } from '../../../test/support/things.ts'
import { words } from '../../../test/support/words.ts'
import { toResourceDemo } from '../routes.ts'

const demos = [toResourceDemo(things)]

async function fill(app: FastifyInstance, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    await createRecord(app, '/things', { name: String(index), active: true })
  }
}

const pages: [query: string, names: string][] = [
  ['', '1 2 3 4 5 6 7'],
  ['?q=', '1 2 3 4 5 6 7'],
  ['?page=1&per_page=3', '1 2 3'],
  ['?page=2&per_page=3', '4 5 6'],
  ['?page=3&per_page=3', '7'],
  ['?per_page=3', '1 2 3'],
  ['?page=1', '1 2 3 4 5 6 7'],
  ['?page=7&per_page=1', '7'],
  ['?page=8&per_page=1', ''],
  ['?page=2', ''],
  ['?page=1000000000&per_page=1000', ''],
  ['?page=01&per_page=2', '1 2'],
  ['?page[]=2&per_page=2', '3 4'],
  ['?_page=2&_limit=3', '4 5 6'],
  ['?_page=2&_per_page=3', '4 5 6'],
  ['?_limit=2', '1 2'],
  ['?_start=1&_end=3', '2 3'],
  ['?_start=5&_limit=9', '6 7'],
  ['?_end=2', '1 2'],
  ['?_start=3&_end=3', ''],
  ['?_start=5&_end=2', ''],
  ['?_start=70&_end=80', ''],
  ['?_page=1', '1 2 3 4 5 6 7'],
]

test('a page of a list has its part of the records, oldest first', async (t) => {
  const app = await testApp(t, { demos })
  await fill(app, 7)
  for (const [query, names] of pages) {
    await t.test(query, async () => {
      assert.equal(await readNames(app, `/things${query}`), names)
      assert.equal(await readNames(app, `/things/${query}`), names)
    })
  }
})

const badQueries = words`
  page=0 page=-1 page=1.5 page=one page= page=1e3 page=%201 page=1&page=2 page[]=1&page[]=2
  page[a]=1 page=99999999999999999999 per_page=0 per_page=-5 per_page=2.5 per_page=all per_page=%20
  per_page=1000000000 page=1&per_page=0 per_page=1001 page=9007199254741
`

const emptyApp = useApp({ demos })
for (const query of badQueries) {
  test(`a list gets 400 for ?${query}, in every representation`, async () => {
    const name = query.includes('per_page') ? 'per_page' : 'page'
    const url = `/things?${query}`
    for (const accept of ['text/html', 'application/json', 'text/plain']) {
      const response = await emptyApp().inject({ url, headers: { accept } })
      assert.equal(response.statusCode, 400, accept)
      assert.match(response.body, new RegExp(`\\b${name}\\b`))
    }
    const head = await emptyApp().inject({ method: 'HEAD', url })
    assert.equal(head.statusCode, 400)
    assert.equal(head.body, '')
  })
}

test('a page after the last is 200 and empty in every representation', async (t) => {
  const app = await testApp(t, { demos })
  await fill(app, 2)
  for (const accept of ['text/html', 'application/json', 'text/plain']) {
    await t.test(accept, async () => {
      const url = '/things?page=9&per_page=2'
      const response = await app.inject({ url, headers: { accept } })
      assert.equal(response.statusCode, 200)
      assert.ok(!/things\/[0-9a-f]{8}-/.test(response.body))
    })
  }
})

async function linksAt(app: FastifyInstance, url: string) {
  const { headers, body } = await app.inject(url)
  const field = [...String(headers.link).matchAll(/<([^>]*)>; rel="(\w+)"/g)]
  const page = [...body.matchAll(/<a class="button second" href="([^"]*)" rel="(\w+)">/g)]
  const toLinks = (matches: readonly RegExpExecArray[]) =>
    Object.fromEntries(
      matches.map(([, href = '', rel = '']) => [rel, href.replaceAll('&amp;', '&')]),
    )
  return { field: toLinks(field), page: toLinks(page), total: headers['x-total-count'] }
}

const linked: [url: string, links: Record<string, string>][] = [
  ['/things?per_page=3', { first: '1', next: '2', last: '3' }],
  ['/things?per_page=3&page=2', { first: '1', prev: '1', next: '3', last: '3' }],
  ['/things?per_page=3&page=3', { first: '1', prev: '2', last: '3' }],
  ['/things?per_page=3&page=9', { first: '1', prev: '3', last: '3' }],
  ['/things?per_page=7&page=1', { first: '1', last: '1' }],
]

test('the pages of a list link to one another, in Link and in the page', async (t) => {
  const app = await testApp(t, { demos })
  await fill(app, 7)
  for (const [url, numbers] of linked) {
    await t.test(url, async () => {
      const listUrl = url.replace(/&page=\d+/, '')
      const expected = Object.fromEntries(
        Object.entries(numbers).map(([rel, number]) => [rel, `${listUrl}&page=${number}`]),
      )
      const { field, page, total } = await linksAt(app, url)
      if (expected.next) {
        const after = new URL(field.next ?? '', 'http://localhost').searchParams.get('after') ?? ''
        assert.match(after, /^[\w-]+$/)
        expected.next += `&after=${after}`
      }
      assert.deepEqual(field, expected)
      // A page does not link to itself.
      const self = `${listUrl}&page=${/&page=(\d+)/.exec(url)?.[1] ?? '1'}`
      const others = Object.entries(expected).filter(([, href]) => href !== self)
      assert.deepEqual(page, Object.fromEntries(others))
      assert.equal(total, '7')
    })
  }
})

test('links have every other parameter, encoded for a URL', async (t) => {
  const app = await testApp(t, { demos })
  await fill(app, 3)
  const kept = { name: '<"&>; é', 'name:ne': '%', q: 'a b', sort: '-name', _limit: '1' }
  const query = `${new URLSearchParams(kept).toString()}&ratio=1&ratio=2&_method=GET`
  const { field } = await linksAt(app, `/things.html?${query}`)
  const url = new URL(field.first ?? '', 'http://localhost')
  assert.equal(url.pathname, '/things.html')
  assert.deepEqual(
    [...url.searchParams],
    [...Object.entries(kept), ['ratio', '1'], ['ratio', '2'], ['page', '1']],
  )
})

test('links to pages that were requested with json-server’s parameters use those too', async (t) => {
  const app = await testApp(t, { demos })
  await fill(app, 21)
  const { field, total } = await linksAt(app, '/things?_page=2&_sort=name')
  assert.match(field.next ?? '', /^\/things\?_sort=name&_page=3&after=[\w-]+$/)
  assert.equal(field.last, '/things?_sort=name&_page=3')
  assert.equal(total, '21')
})

test('the whole list has neither links nor a count, and a slice has only a count', async (t) => {
  const app = await testApp(t, { demos })
  await fill(app, 3)
  assert.deepEqual(await linksAt(app, '/things'), { field: {}, page: {}, total: undefined })
  const slice = await linksAt(app, '/things?_start=1&_end=2')
  assert.deepEqual(slice, { field: {}, page: {}, total: '3' })
})

test('a page of a list has a tag of its bytes, and so has a short whole list', async (t) => {
  const app = await testApp(t, { demos })
  await fill(app, 3)
  const tags = new Set<string>()
  for (const suffix of ['html', 'json', 'txt', 'csv', 'ndjson']) {
    await t.test(suffix, async () => {
      const url = `/things.${suffix}?per_page=2`
      const { headers, body } = await app.inject(url)
      const etag = String(headers.etag)
      assert.match(etag, suffix === 'html' ? /^W\/"[\w-]{43}"$/ : /^"[\w-]{43}"$/)
      tags.add(etag)
      const same = await app.inject({ url, headers: { 'if-none-match': etag } })
      assert.equal(same.statusCode, 304)
      assert.equal(same.body, '')
      assert.equal(same.headers.etag, etag)
      assert.equal(same.headers['cache-control'], 'private, no-cache')
      assert.equal((await app.inject({ url, headers: { 'if-none-match': '"x"' } })).body, body)
      assert.equal((await app.inject({ url, headers: { 'if-match': '"x"' } })).statusCode, 412)
      const head = await app.inject({ method: 'HEAD', url })
      assert.equal(head.headers.etag, etag)
      assert.equal(head.headers['content-length'], headers['content-length'])
      const whole = await app.inject(`/things.${suffix}`)
      assert.match(String(whole.headers.etag), /^W\/"[\w-]{43}"$/)
      assert.equal(whole.headers['cache-control'], 'private, no-cache')
    })
  }
  assert.equal(tags.size, 5)
  const before = await app.inject('/things.json?per_page=9')
  await fill(app, 1)
  const after = await app.inject('/things.json?per_page=9')
  assert.notEqual(after.headers.etag, before.headers.etag)
})

test('empty pages of two media types have two tags', async (t) => {
  const app = await testApp(t, { demos })
  const text = await app.inject('/things.txt?page=1')
  const lines = await app.inject('/things.ndjson?page=1')
  assert.equal(text.body, lines.body)
  assert.notEqual(text.headers.etag, lines.headers.etag)
})
