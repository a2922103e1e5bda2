import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { hrefs } from '../../../test/support/hrefs.ts'
import { useApp } from '../../../test/support/test-app.ts'

const onePlace = useApp()

const menuForms: readonly [form: string, query: string][] = [
  [
    '_filter=latitude&_operator=gte&_value=1&_operator=lte&_value=3',
    'latitude:gte=1&latitude:lte=3',
  ],
  ['_filter=latitude&_operator=eq&_value=&_operator=lte&_value=3', 'latitude:lte=3'],
  ['_filter=latitude&_operator=eq&_value=&_operator=lte&_value=', ''],
  ['latitude:gte=1&_filter=latitude&_operator=gte&_value=2&_operator=lt&_value=', 'latitude:gte=2'],
  ['name:contains=a&_filter=name&_operator=contains&_value=b', 'name:contains=a&name:contains=b'],
  ['name=a&_filter=name&_operator=contains&_value=b', 'name=a&name:contains=b'],
  ['name=a&_filter=name&_operator=eq&_value=a', 'name=a'],
  ['sort=name&page=3&after=x&_filter=name&_operator=eq&_value=', 'sort=name&name='],
]

for (const [form, query] of menuForms) {
  test(`the form of a column with ${form} redirects to ?${query}`, async () => {
    const response = await onePlace().inject(`/places?${form}`)
    assert.equal(response.statusCode, 303)
    const url = new URL(String(response.headers.location), 'http://localhost')
    assert.deepEqual([...url.searchParams], [...new URLSearchParams(query)])
  })
}

const kinds = useApp({}, async (t) => {
  const schema = {
    posts: {
      properties: {
        state: { enum: ['draft', 'final'] },
      },
    },
  }
  const values = { ok: true, price: 4, day: '2026-03-14', at: '2026-03-14T08:30:00Z', tags: ['a'] }
  const urls = [1, 2].map((id) => ({ url: `https://example.org/a/b${String(id)}?ref=home` }))
  const posts = urls.map((url, index) => {
    return { id: index + 1, title: 'T', authorId: 1, state: 'draft', ...values, ...url, 'x,y': 'z' }
  })
  return dataApp(t, { authors: [{ id: 1, name: 'Ann Lee' }], posts }, { schema })
})

const openPosts = async (query: string) => {
  const { statusCode, body } = await kinds().inject({
    url: `/posts?${query}`,
    headers: { accept: 'text/html' },
  })
  assert.equal(statusCode, 200, body)
  return body
}

const inputs: readonly [field: string, first: string, input: RegExp, count: number][] = [
  ['title', 'contains', /<input [^>]*type="text"/, 1],
  ['price', 'eq', /<input [^>]*type="number"/, 2],
  ['day', 'gte', /<input [^>]*type="date"/, 2],
  ['at', 'gte', /<input [^>]*type="date"/, 2],
  ['ok', 'eq', /<option>true<\/option><option>false<\/option>/, 1],
  ['state', 'eq', /<option>draft<\/option><option>final<\/option>/, 1],
  ['tags', 'contains', /<input [^>]*type="text"/, 1],
]

for (const [field, first, input, count] of inputs) {
  test(`the menu of ${field} begins with ${first}`, async () => {
    const page = await openPosts('fields=title,price,day,at,ok,state,tags')
    const [, form = ''] = page.split(`name="_filter" value="${field}"`)
    const [own = ''] = form.split('</form>')
    assert.equal(/<option value="(\w+)"/.exec(own)?.[1], first)
    assert.match(own, input)
    assert.equal(own.match(/name="_value"/g)?.length, count)
  })
}

const chips: readonly [query: string, text: string, without: string][] = [
  ['authorId=1', 'Author is Ann Lee', ''],
  ['authorId=9', 'Author is 9', ''],
  ['authorId:ne=1', 'Author is not Ann Lee', ''],
  ['at:gte=2026-03-01&at:lt=2026-04-01', 'At is from “2026-03-01”', '?at%3Alt=2026-04-01'],
  ['sort=-price,title', 'Sorted by Price, descending', '?sort=title'],
  ['sort=-price,title', 'Sorted by Title, ascending', '?sort=-price'],
  ['sort=title', 'Sorted by Title, ascending', ''],
]

for (const [query, text, without] of chips) {
  test(`a list with ?${query} has the chip ${text}`, async () => {
    assert.deepEqual(hrefs(await openPosts(query), text), [`/posts${without}`])
  })
}

test('a hidden column has a chip that shows it again, also beside a name with a comma', async () => {
  const all = await openPosts('')
  const hide = hrefs(all, 'Hide')[0] ?? ''
  const page = await openPosts(hide.slice(hide.indexOf('?') + 1))
  const [chip = ''] = hrefs(page, 'Author is hidden')
  assert.equal(chip, '/posts')
  const other = await openPosts('fields=title&fields=x,y')
  for (const href of hrefs(other, 'Price is hidden')) {
    const shown = await openPosts(href.slice(href.indexOf('?') + 1))
    assert.match(shown, /Columns 3 of/)
  }
})

test('a page of a column of URLs without a URL is sent', async (t) => {
  const app = await dataApp(t, { sites: [{ id: 1, url: 'https://example.org/a' }, { id: 2 }] })
  const url = '/sites?id=2'
  const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html' } })
  assert.equal(statusCode, 200)
  assert.match(body, /1 matching site/)
})

test('a list of records without a name has no chip of a hidden column', async (t) => {
  const app = await dataApp(t, { counts: [{ id: 1, count: 5 }] })
  const { body } = await app.inject({ url: '/counts', headers: { accept: 'text/html' } })
  assert.doesNotMatch(body, /is hidden/)
})

test('a column of URLs shows where they differ, and has the whole in the link and the title', async () => {
  const page = await openPosts('fields=url')
  const cell = (end: string) =>
    `title="https://example.org/a/${end}?ref=home"><a href="https://example.org/a/${end}?ref=home" rel="noreferrer"><bdi>…/${end}/…</bdi></a>`
  assert.ok(page.includes(cell('b1')))
  assert.ok(page.includes(cell('b2')))
})

test('the form of the columns can name each of more than 100', async (t) => {
  const names = Array.from({ length: 150 }, (_, index) => `c${String(index)}`)
  const app = await dataApp(t, { wide: [Object.fromEntries(names.map((name) => [name, 1]))] })
  const query = names.map((name, index) => `_fields.${String(index)}=${name}`).join('&')
  const headers = { accept: 'text/html' }
  const form = await app.inject({ url: `/wide?sort=-c1&page=2&${query}`, headers })
  assert.equal(form.statusCode, 303, form.body)
  const { statusCode, body } = await app.inject({ url: String(form.headers.location), headers })
  assert.equal(statusCode, 200, body)
  assert.match(body, /Columns 151 of/)
  assert.match(body, /aria-sort="descending"/)
})
