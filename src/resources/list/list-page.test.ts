import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { test } from 'node:test'
import { hrefs } from '../../../test/support/hrefs.ts'
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
