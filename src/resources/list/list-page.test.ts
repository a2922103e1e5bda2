import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { createRecord, openRecord } from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

async function open(app: FastifyInstance, url: string): Promise<string> {
  const { statusCode, body } = await app.inject(url)
  assert.equal(statusCode, 200)
  return body
}

async function fill(app: FastifyInstance, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    const name = `Place ${String(index)}`
    await createRecord(app, '/places', { name, latitude: index, longitude: index })
  }
}

/** The addresses of the links of which the text is given. */
function hrefs(page: string, text: string): string[] {
  return [...page.matchAll(/<a ([^>]*)>([^<]*)<\/a>/g)]
    .filter(([, , label]) => label === text)
    .map(([, attributes = '']) => /href="([^"]*)"/.exec(attributes)?.[1] ?? '')
    .map((href) => href.replaceAll('&amp;', '&'))
}

/** For queries, which store nothing. */
const onePlace = useApp({}, async (t) => {
  const app = await testApp(t)
  await fill(app, 1)
  return app
})

test('a list without records has a link to create the first, and no table', async (t) => {
  const app = await testApp(t)
  for (const url of ['/places', '/places?page=1', '/places?sort=-name', '/places?q=']) {
    await t.test(url, async () => {
      const page = await open(app, url)
      assert.match(page, /There are no places yet\./)
      assert.deepEqual(hrefs(page, 'New place'), ['/places/new'])
      assert.doesNotMatch(page, /<table|role="search"|class="map"/)
    })
  }
})

test('a list without matches links to all records', async (t) => {
  const app = onePlace()
  for (const url of ['/places?q=zzz', '/places?q=zzz&page=1', '/places?name=zzz']) {
    await t.test(url, async () => {
      const page = await open(app, url)
      assert.match(page, /No places match\./)
      assert.match(page, /role="search"/)
      assert.ok(hrefs(page, 'Show all places').includes('/places'))
    })
  }
})

test('a page after the last links to the last', async (t) => {
  const app = await testApp(t)
  await fill(app, 3)
  const page = await open(app, '/places?per_page=2&page=9')
  assert.match(page, /There is no such page\./)
  assert.match(page, /Page 9 was requested\. The list has 3 places on 2 pages\./)
  assert.doesNotMatch(page, /Page 9 of/)
  assert.deepEqual(hrefs(page, 'Last'), ['/places?per_page=2&page=2'])
})

test('the headings sort the list, and reverse the current order', async (t) => {
  const app = await testApp(t)
  await fill(app, 2)
  const plain = await open(app, '/places')
  assert.deepEqual(hrefs(plain, 'Name'), ['/places?sort=name'])
  assert.deepEqual(hrefs(plain, 'Created'), ['/places?sort=-createdAt'])
  assert.match(plain, /<th scope="col" class="date-time" aria-sort="ascending"><a [^>]*>Created</)
  const sorted = await open(app, '/places?sort=name&q=place&page=2&per_page=1')
  assert.deepEqual(hrefs(sorted, 'Name'), ['/places?q=place&per_page=1&sort=-name'])
  const turned = await open(app, '/places?_sort=latitude&_order=desc')
  assert.match(turned, /<th scope="col" class="number" aria-sort="descending"><a [^>]*>Latitude</)
  assert.deepEqual(hrefs(turned, 'Latitude'), ['/places?sort=latitude'])
  assert.equal(turned.match(/aria-sort/g)?.length, 1)
})

test('the search keeps the filters and the order, and starts at the first page', async (t) => {
  const app = await testApp(t)
  await fill(app, 2)
  const page = await open(app, '/places?q=pl%22&sort=-name&latitude_gte=0&per_page=7&page=2')
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  assert.deepEqual(
    hidden.map(([, name, value]) => [name, value]),
    [
      ['sort', '-name'],
      ['latitude:gte', '0'],
    ],
  )
  assert.match(page, /name="q" [^>]*value="pl&quot;"/)
  const options = [...page.matchAll(/<option value="(\d*)"([^>]*)>([^<]*)</g)]
  assert.deepEqual(
    options.map(([, ...option]) => option),
    [
      ['', '', 'All on one page'],
      ['7', ' selected', '7 per page'],
      ['20', '', '20 per page'],
      ['50', '', '50 per page'],
      ['100', '', '100 per page'],
    ],
  )
})

const conditions: [query: string, words: string, without: string][] = [
  ['q=place', 'any field contains “place”', ''],
  ['name=a&name=b', 'Name is “a” or “b”', ''],
  ['name:in=a,b', 'Name is “a” or “b”', ''],
  ['latitude:gte=1&sort=name', 'Latitude is at least 1', '?sort=name'],
  ['latitude_lt=99&page=1&per_page=5', 'Latitude is below 99', '?per_page=5'],
  ['name_like=place', 'Name contains “place”', ''],
  ['_id:ne=x', 'ID is not “x”', ''],
  ['name:startsWith=<b>', 'Name starts with “&lt;b&gt;”', ''],
]

for (const [query, words, without] of conditions) {
  test(`a list with ?${query} describes the filter, with a link to remove it`, async () => {
    const page = await open(onePlace(), `/places?${query}`)
    const [link] = hrefs(page, words)
    assert.equal(link, `/places${without}`)
    assert.ok(page.includes(`aria-label="Remove the filter: ${words}"`))
    assert.ok(hrefs(page, 'Show all places').includes('/places'))
  })
}

test('a list shows which part of how many records it has, and the number of the page', async (t) => {
  const app = await testApp(t)
  await fill(app, 5)
  const page = await open(app, '/places?per_page=2&page=2')
  assert.match(page, /<p class="count">3 to 4 of 5 places</)
  assert.match(page, /Page 2 of 3/)
  assert.match(page, /<title>Places, page 2 · /)
  assert.match(await open(app, '/places?per_page=2&page=3'), />5 of 5 places</)
  const whole = await open(app, '/places')
  assert.match(whole, /<p class="count">All 5 places</)
  assert.doesNotMatch(whole, /Page \d/)
  const one = await open(app, '/places?name=Place%201')
  assert.match(one, /<p class="count">1 matching place</)
})

test('a list links to its other representations, which have the same records', async (t) => {
  const app = await testApp(t)
  await fill(app, 3)
  const page = await open(app, '/places?q=place&sort=-name&per_page=2')
  for (const [label, suffix] of [
    ['JSON', 'json'],
    ['CSV', 'csv'],
    ['NDJSON', 'ndjson'],
    ['Text', 'txt'],
  ] as const) {
    await t.test(`${label} ${suffix}`, async () => {
      const href = hrefs(page, label).at(-1) ?? ''
      assert.equal(href, `/places.${suffix}?q=place&sort=-name&per_page=2`)
      const body = await open(app, href)
      assert.ok(body.indexOf('Place 3') < body.indexOf('Place 2'))
      assert.doesNotMatch(body, /Place 1/)
    })
  }
})

test('a long note is truncated between two characters, and an invisible name is replaced by the id', async (t) => {
  const { app, _id } = await openRecord(t, '/places', { name: ' \n', note: '🌍'.repeat(2000) })
  const page = await open(app, '/places')
  assert.ok(page.includes(` title="${'🌍'.repeat(500)}…">${'🌍'.repeat(120)}…</td>`))
  assert.match(page, new RegExp(`<a href="/places/${_id}" [^>]*>${_id}</a>`))
})

test('a list that cannot be requested with a URL has none of the links that would need one', async () => {
  const { statusCode, body } = await onePlace().inject({
    method: 'QUERY',
    url: '/places',
    headers: { accept: 'text/html' },
    payload: { 'name:ne': Array.from({ length: 90 }, (_, index) => String(index).repeat(100)) },
  })
  assert.equal(statusCode, 200)
  assert.match(body, /<th scope="col">Name<\/th>/)
  assert.doesNotMatch(body, /role="search"|\?name/)
})

test('a blank page size, as a form sends it, is the whole list', async (t) => {
  const app = await testApp(t)
  await fill(app, 25)
  for (const query of ['q=&per_page=', 'q=place&per_page=', '_limit=']) {
    await t.test(query, async () => {
      const page = await open(app, `/places?${query}`)
      assert.equal(page.match(/<th scope="row">/g)?.length, 25)
    })
  }
})

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
