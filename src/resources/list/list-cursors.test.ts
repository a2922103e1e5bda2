import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { test } from 'node:test'
import { createRecord, type Shown } from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const json = { accept: 'application/json' }

async function fill(app: FastifyInstance, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await createRecord(app, '/places', {
      name: ['Rome', 'rome', 'Åre', 'Bonn', '\u{1f600}'][index % 5] ?? '',
      ...(index % 3 && { latitude: (index % 4) - 1.5, longitude: index }),
      ...(index % 2 && { note: index % 4 === 1 ? 'a & b' : `note ${String(index)}` }),
    })
  }
}

/** For queries, which store nothing. */
const filled = useApp({}, async (t) => {
  const app = await testApp(t)
  await fill(app, 23)
  return app
})

function nextOf(link: unknown): string {
  return /<([^>]*)>; rel="next"/.exec(String(link))?.[1] ?? ''
}

async function followNext(app: FastifyInstance, first: string, afterPage?: () => Promise<void>) {
  const ids: string[] = []
  let url = first
  for (let page = 0; url !== '' && page < 100; page += 1) {
    const response = await app.inject({ url, headers: json })
    assert.equal(response.statusCode, 200, response.body)
    ids.push(...response.json<Shown[]>().map(({ _id }) => _id))
    url = nextOf(response.headers.link)
    assert.ok(url === '' || url.includes('after='), url)
    await afterPage?.()
  }
  return ids
}

const queries = [
  '',
  'sort=-createdAt',
  'sort=_id',
  'sort=name',
  'sort=-name',
  'sort=latitude',
  'sort=-latitude',
  'sort=-note,name',
  'sort=name,-latitude,createdAt',
  'sort=-updatedAt,note',
  'sort=name&name=Rome&name=Bonn',
  'latitude:gte=0&sort=-latitude',
  'note:contains=note&sort=latitude,-name',
  'q=o',
  'q=O&sort=-name',
  '_sort=name&_order=desc',
]
for (const query of queries) {
  test(`following next yields each record of ?${query} exactly once, in order`, async () => {
    const app = filled()
    const whole = await app.inject({ url: `/places?${query}`, headers: json })
    const expected = whole.json<Shown[]>().map(({ _id }) => _id)
    assert.ok(expected.length > 4)
    for (const size of [1, 4, 22, 23]) {
      const first = `/places?${query}&per_page=${String(size)}`
      assert.deepEqual(await followNext(app, first), expected)
    }
  })
}

for (const sort of ['createdAt', '-createdAt', 'name', '-note,latitude']) {
  test(`with sort=${sort}, records that come and go neither repeat nor hide others`, async (t) => {
    const app = await testApp(t)
    await fill(app, 20)
    const all = (await app.inject('/places.json')).json<Shown[]>().map(({ _id }) => _id)
    const gone = all.slice(0, 8)
    let pages = 0
    const found = await followNext(app, `/places?sort=${sort}&per_page=3`, async () => {
      pages += 1
      const id = pages < 8 && gone.pop()
      if (!id) return
      await app.inject({ method: 'DELETE', url: `/places/${id}` })
      await createRecord(app, '/places', { name: `Bonn ${String(pages)}` })
    })
    assert.equal(new Set(found).size, found.length)
    const missing = all.slice(8).filter((id) => !found.includes(id))
    assert.deepEqual(missing, [])
  })
}

for (const suffix of ['html', 'txt', 'csv', 'ndjson']) {
  test(`the second page as ${suffix} is the same by its cursor and by its number`, async () => {
    const app = filled()
    const url = `/places.${suffix}?sort=-name&per_page=4`
    const next = nextOf((await app.inject(url)).headers.link)
    const page = await app.inject(next)
    const numbered = await app.inject(`${url}&page=2`)
    const toText = (body: string) =>
      body.replaceAll(/after=[\w-]+/g, '').replaceAll(/&amp;(?=["<])/g, '')
    // The page links to other types with the same parameters.
    assert.equal(toText(page.body), toText(numbered.body))
    assert.equal(page.headers.link, numbered.headers.link)
    const head = await app.inject({ method: 'HEAD', url: next })
    assert.equal(head.headers.link, page.headers.link)
    assert.equal(head.headers.etag, page.headers.etag)
  })
}

test('a QUERY accepts a cursor, and a bad one gets 422', async () => {
  const app = filled()
  const send = (payload: object) =>
    app.inject({ method: 'QUERY', url: '/places', headers: json, payload })
  const first = await send({ per_page: 2, sort: '-note' })
  const after = new URL(nextOf(first.headers.link), 'http://a').searchParams.get('after')
  const second = await send({ per_page: 2, sort: '-note', page: 2, after })
  const numbered = await send({ per_page: 2, sort: '-note', page: 2 })
  assert.equal(second.statusCode, 200, second.body)
  assert.equal(second.body, numbered.body)
  const bad = await send({ per_page: 2, after })
  assert.equal(bad.statusCode, 422)
  assert.match(bad.body, /after/)
})

test('a page is found by a cursor alone, with 20 records', async () => {
  const app = filled()
  const { headers } = await app.inject('/places.json?per_page=2')
  const [cursor = ''] = /after=[\w-]+/.exec(String(headers.link)) ?? []
  const all = (await app.inject('/places.json')).json<Shown[]>()
  assert.deepEqual((await app.inject(`/places.json?${cursor}`)).json(), all.slice(2, 22))
})

function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  )
}

function decode(cursor: string): unknown[] {
  const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  return Array.isArray(values) ? values : []
}

const bad: [title: string, toQuery: (cursor: string) => string][] = [
  ['nothing', () => 'sort=name&after='],
  ['no cursor', () => 'sort=name&after=x'],
  ['a long text', () => `sort=name&after=${'A'.repeat(5000)}`],
  ['a cursor and more', (cursor) => `sort=name&after=${cursor}A`],
  ['a cursor with another spelling', (cursor) => `sort=name&after=${cursor}%3D`],
  ['two cursors', (cursor) => `sort=name&after=${cursor}&after=${cursor}`],
  ['another order', (cursor) => `sort=-name&after=${cursor}`],
  ['no order', (cursor) => `after=${cursor}`],
  ['another filter', (cursor) => `sort=name&name:ne=x&after=${cursor}`],
  ['another search', (cursor) => `sort=name&q=x&after=${cursor}`],
  ['a slice', (cursor) => `sort=name&_start=0&_end=2&after=${cursor}`],
  ['JSON of another kind', () => `sort=name&after=${encode({ length: 4 })}`],
  ['values only', (cursor) => `sort=name&after=${encode(decode(cursor).slice(1))}`],
  ['a value more', (cursor) => `sort=name&after=${encode([...decode(cursor), 'x'])}`],
  ['a value less', (cursor) => `sort=name&after=${encode(decode(cursor).slice(0, -1))}`],
  ['an object', (cursor) => `sort=name&after=${encode(decode(cursor).with(1, {}))}`],
  ['a time that is no text', (cursor) => `sort=name&after=${encode(decode(cursor).with(2, 1))}`],
  ['U+0000', (cursor) => `sort=name&after=${encode(decode(cursor).with(1, '\0'))}`],
  ['half a character', (cursor) => `sort=name&after=${encode(decode(cursor).with(3, '\ud800'))}`],
  [
    'an infinite number',
    (cursor) => {
      const text = JSON.stringify(decode(cursor).with(1, 1)).replace(',1,', ',1e999,')
      return `sort=name&after=${encode(text)}`
    },
  ],
]
for (const [title, toQuery] of bad) {
  test(`after with ${title} gets 400 with an error that names it`, async () => {
    const app = filled()
    const { headers } = await app.inject('/places.json?sort=name&per_page=1')
    const [, cursor = ''] = /after=([\w-]+)/.exec(String(headers.link)) ?? []
    const response = await app.inject({ url: `/places?${toQuery(cursor)}`, headers: json })
    assert.equal(response.statusCode, 400, response.body)
    assert.match(response.json<{ detail: string }>().detail, /\bafter\b/)
  })
}

test('a cursor of one resource gets 400 from another', async () => {
  const app = filled()
  const { headers } = await app.inject('/places.json?per_page=1')
  const [, cursor = ''] = /after=([\w-]+)/.exec(String(headers.link)) ?? []
  assert.equal((await app.inject(`/people.json?after=${cursor}`)).statusCode, 400)
})

test('the next link has a number only where the sort key is too long for a URL', async (t) => {
  const app = await testApp(t)
  for (const name of ['a', 'b']) {
    await createRecord(app, '/places', { name, note: '€'.repeat(2000) })
  }
  const { headers } = await app.inject('/places.json?per_page=1&sort=note')
  assert.equal(nextOf(headers.link), '/places.json?per_page=1&sort=note&page=2')
})

test('filters in another order fit the same cursor', async () => {
  const app = filled()
  const { headers } = await app.inject('/places.json?per_page=1&name:ne=x&latitude:gt=-2')
  const [cursor = ''] = /after=[\w-]+/.exec(String(headers.link)) ?? []
  const { statusCode } = await app.inject(`/places.json?latitude:gt=-2&name:ne=x&${cursor}`)
  assert.equal(statusCode, 200)
})
