import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { test } from 'node:test'
import { createRecord, openRecord } from '../../../test/resources.ts'
import { testApp } from '../../../test/test-app.ts'

async function open(app: FastifyInstance, url: string): Promise<string> {
  const { statusCode, body } = await app.inject(url)
  assert.equal(statusCode, 200)
  return body
}

async function fill(app: FastifyInstance, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    const name = `Place ${String(index)}`
    await createRecord(app, '/locations', { name, latitude: index, longitude: index })
  }
}

/** The addresses of the links of which the text is given. */
function hrefs(page: string, text: string): string[] {
  return [...page.matchAll(/<a ([^>]*)>([^<]*)<\/a>/g)]
    .filter(([, , label]) => label === text)
    .map(([, attributes = '']) => /href="([^"]*)"/.exec(attributes)?.[1] ?? '')
    .map((href) => href.replaceAll('&amp;', '&'))
}

test('a list without records has a link to create the first, and no table', async (t) => {
  const app = await testApp(t)
  for (const url of ['/locations', '/locations?page=1', '/locations?sort=-name', '/locations?q=']) {
    await t.test(url, async () => {
      const page = await open(app, url)
      assert.match(page, /There are no locations yet\./)
      assert.deepEqual(hrefs(page, 'New location'), ['/locations/new'])
      assert.doesNotMatch(page, /<table|role="search"|class="map"/)
    })
  }
})

test('a list without matches links to all records', async (t) => {
  const app = await testApp(t)
  await fill(app, 1)
  for (const url of ['/locations?q=zzz', '/locations?q=zzz&page=1', '/locations?name=zzz']) {
    await t.test(url, async () => {
      const page = await open(app, url)
      assert.match(page, /No locations match\./)
      assert.match(page, /role="search"/)
      assert.ok(hrefs(page, 'Show all locations').includes('/locations'))
    })
  }
})

test('a page after the last links to the last', async (t) => {
  const app = await testApp(t)
  await fill(app, 3)
  const page = await open(app, '/locations?per_page=2&page=9')
  assert.match(page, /There is no such page\./)
  assert.deepEqual(hrefs(page, 'Last'), ['/locations?per_page=2&page=2'])
})

test('the headings sort the list, and reverse the current order', async (t) => {
  const app = await testApp(t)
  await fill(app, 2)
  const plain = await open(app, '/locations')
  assert.deepEqual(hrefs(plain, 'Name'), ['/locations?sort=name'])
  assert.deepEqual(hrefs(plain, 'Created'), ['/locations?sort=-createdAt'])
  assert.match(plain, /<th scope="col" aria-sort="ascending"><a [^>]*>Created</)
  const sorted = await open(app, '/locations?sort=name&q=place&page=2&per_page=1')
  assert.deepEqual(hrefs(sorted, 'Name'), ['/locations?q=place&per_page=1&sort=-name'])
  const turned = await open(app, '/locations?_sort=latitude&_order=desc')
  assert.match(turned, /<th scope="col" class="number" aria-sort="descending"><a [^>]*>Latitude</)
  assert.deepEqual(hrefs(turned, 'Latitude'), ['/locations?sort=latitude'])
  assert.equal(turned.match(/aria-sort/g)?.length, 1)
})

test('the search keeps the filters and the order, and starts at the first page', async (t) => {
  const app = await testApp(t)
  await fill(app, 2)
  const page = await open(app, '/locations?q=pl%22&sort=-name&latitude_gte=0&per_page=7&page=2')
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
  ['_id:ne=x', 'Id is not “x”', ''],
  ['name:startsWith=<b>', 'Name starts with “&lt;b&gt;”', ''],
]

for (const [query, words, without] of conditions) {
  test(`a list with ?${query} describes the filter, with a link to remove it`, async (t) => {
    const app = await testApp(t)
    await fill(app, 1)
    const page = await open(app, `/locations?${query}`)
    const [link] = hrefs(page, words)
    assert.equal(link, `/locations${without}`)
    assert.ok(page.includes(`aria-label="Remove the filter: ${words}"`))
    assert.ok(hrefs(page, 'Show all locations').includes('/locations'))
  })
}

test('a list shows which part of how many records it has, and the number of the page', async (t) => {
  const app = await testApp(t)
  await fill(app, 5)
  const page = await open(app, '/locations?per_page=2&page=2')
  assert.match(page, /<p class="count">3 to 4 of 5 locations</)
  assert.match(page, /Page 2 of 3/)
  assert.match(page, /<title>Locations, page 2 · /)
  assert.match(await open(app, '/locations?per_page=2&page=3'), />5 of 5 locations</)
  const whole = await open(app, '/locations')
  assert.match(whole, /<p class="count">All 5 locations</)
  assert.doesNotMatch(whole, /Page \d/)
  const one = await open(app, '/locations?name=Place%201')
  assert.match(one, /<p class="count">1 matching location</)
})

test('a list links to its other representations, which have the same records', async (t) => {
  const app = await testApp(t)
  await fill(app, 3)
  const page = await open(app, '/locations?q=place&sort=-name&per_page=2')
  for (const [label, suffix] of [
    ['JSON', 'json'],
    ['CSV', 'csv'],
    ['NDJSON', 'ndjson'],
    ['Text', 'txt'],
  ] as const) {
    await t.test(`${label} ${suffix}`, async () => {
      const href = hrefs(page, label).at(-1) ?? ''
      assert.equal(href, `/locations.${suffix}?q=place&sort=-name&per_page=2`)
      const body = await open(app, href)
      assert.ok(body.indexOf('Place 3') < body.indexOf('Place 2'))
      assert.doesNotMatch(body, /Place 1/)
    })
  }
})

test('a list draws its places on a map, and has no map without places', async (t) => {
  const app = await testApp(t)
  await createRecord(app, '/locations', { name: 'Nowhere' })
  assert.doesNotMatch(await open(app, '/locations'), /class="map"/)
  await fill(app, 2)
  for (const url of ['/locations', '/locations?per_page=5']) {
    await t.test(url, async () => {
      assert.match(await open(app, url), /2 places with coordinates/)
    })
  }
  await createRecord(app, '/users', { name: 'Ann', password: 'x' })
  assert.doesNotMatch(await open(app, '/users'), /class="map"/)
})

test('a long note is truncated between two characters, and an invisible name is replaced by the id', async (t) => {
  const { app, _id } = await openRecord(t, '/locations', { name: ' \n', note: '🌍'.repeat(2000) })
  const page = await open(app, '/locations')
  assert.ok(page.includes(`<td data-label="Note">${'🌍'.repeat(120)}…</td>`))
  assert.ok(page.includes(`<a href="/locations/${_id}">${_id}</a>`))
})

test('a list that cannot be requested with a URL has none of the links that would need one', async (t) => {
  const app = await testApp(t)
  await fill(app, 1)
  const { statusCode, body } = await app.inject({
    method: 'QUERY',
    url: '/locations',
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
      const page = await open(app, `/locations?${query}`)
      assert.equal(page.match(/<th scope="row">/g)?.length, 25)
    })
  }
})

test('a mark of several places leads to the list of these, with the other filters', async (t) => {
  const app = await testApp(t)
  for (const [name, latitude, longitude] of [
    ['near', 10.5, 10.1],
    ['near too', 11.25, 11.9],
    ['other', 10.6, 10.2],
    ['near but east', 11, 20.1],
    ['near but south', 9.9, 11],
  ] as const) {
    await createRecord(app, '/locations', { name, latitude, longitude })
  }
  const page = await open(app, '/locations?q=near&sort=-name&page=1')
  const marks = [...page.matchAll(/<a href="([^"]*)"><title>([^<]*)<.*?<\/a>/g)]
  const [cluster] = marks.filter(([, , title = '']) => title.includes('places'))
  assert.equal(cluster?.[2], '2 places around 10.88° N, 11° E')
  assert.match(cluster[0], /<text [^>]*>2</)
  const href = cluster[1]?.replaceAll('&amp;', '&') ?? ''
  const shown = [...(await open(app, href)).matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)]
  assert.deepEqual(
    shown.map(([, name]) => name),
    ['near too', 'near'],
  )
})
