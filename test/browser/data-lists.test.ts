import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'

const longWord = 'W'.repeat(200)
const hebrew = 'ירושלים, with English'

/** Records with the kinds of values that data files have. */
function createPosts(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: `Stairs, trams and ferries: what the harbour sees at night, part ${String(index)}`,
    body: 'A garden behind every gate. '.repeat(30),
    tags: ['travel', 'food'],
    published: index % 3 > 0,
    rating: index % 4 > 0 ? 4.5 : null,
    views: 1_104_686 * (index + 1),
    url: `https://www.example.com/blog/2026/stairs-${String(index)}?ref=home`,
    publishedAt: '2026-03-14T08:30:00Z',
    author: { name: 'Ann', city: 'Lisbon' },
    language: 'en',
    summary: hebrew,
  }))
}

const rowsInView = `[...document.querySelectorAll('tbody tr')].filter((row) =>
  row.getBoundingClientRect().bottom <= innerHeight).length`

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? '' : ' without JavaScript'

  test(`a list is sorted and filtered on a small screen${how}`, inBrowser, async (t) => {
    const DATA_FILE = await dataFile(t, { posts: createPosts(12) })
    const { visit } = await openSite(t, { DATA_FILE })
    const page = await visit({ javaScriptEnabled, viewport: { width: 360, height: 800 } })
    await page.goto('/posts')
    await page.getByRole('button', { name: 'Views: filter' }).click()
    await page.getByLabel('Value of Views').fill('1104686')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByText('1 matching post').waitFor()
    await page.getByRole('link', { name: 'Rating', exact: true }).click()
    await page.locator('th[aria-sort=ascending]').waitFor()
    const wide = 'document.documentElement.scrollWidth - innerWidth'
    assert.equal(await page.evaluate<number>(wide), 0)
  })
}

test('a window of 800 px has 14 rows of a realistic data file', inBrowser, async (t) => {
  const DATA_FILE = await dataFile(t, { posts: createPosts(30) })
  const { visit } = await openSite(t, { DATA_FILE })
  const page = await visit({ viewport: { width: 1280, height: 800 } })
  await page.goto('/posts')
  assert.ok((await page.evaluate<number>(rowsInView)) >= 14)
  assert.ok((await page.locator('thead th').count()) <= 9)
  await page.getByRole('img', { name: 'true' }).first().waitFor()
  const views = page.locator('tbody td.number').nth(1)
  assert.equal(await views.textContent(), '1,104,686')
  const url = `document.querySelector('td[title^="http"]')?.textContent`
  assert.equal(await page.evaluate(url), '…/stairs-0/…')
})

const wideRecord = {
  id: 1,
  name: 'One',
  ...Object.fromEntries(
    ['a', 'b', 'c'].map((end) => [`publishedAt${end}`, '2026-03-14T08:30:00Z']),
  ),
  'a long name of a column': longWord,
  numberOfAllComments: 1,
  isPublishedAlready: true,
  homepage: 'https://www.example.com/a',
}

for (const width of [360, 768, 900, 1280, 1600]) {
  test(
    `a list of a data file is as wide as a window of ${String(width)} px`,
    inBrowser,
    async (t) => {
      const DATA_FILE = await dataFile(t, { posts: createPosts(3), events: [wideRecord] })
      const { visit } = await openSite(t, { DATA_FILE })
      const page = await visit({ viewport: { width, height: 800 } })
      for (const path of ['/posts', '/events']) {
        await page.goto(path)
        const widths = `[document.documentElement, ...document.querySelectorAll('.listing .table')]
        .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`
        const [ofPage, ofTable] = await page.evaluate<number[]>(widths)
        assert.equal(ofPage, 0, path)
        if (width >= 1280) assert.equal(ofTable, 0, path)
      }
      const labels = `[...document.querySelectorAll('thead th > a')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((a) => a.textContent)`
      assert.deepEqual(await page.evaluate(labels), [])
    },
  )
}

test(
  'the columns of a wide list are aligned, and no value covers another',
  inBrowser,
  async (t) => {
    const numbers = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, j: 10, k: 11 }
    const record = { name: 'One', ...numbers, at: '2026-11-22T08:00:00Z' }
    const long = { ...record, name: longWord, a: 1e15, at: '2026-11-23T08:00:00Z' }
    const site = await openSite(t, { DATA_FILE: await dataFile(t, { events: [record, long] }) })
    const page = await site.visit({ viewport: { width: 1280, height: 900 } })
    await page.goto('/events')
    const rows = `[...document.querySelectorAll('.listing tr')].map((row) =>
    [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left)).join())`
    assert.equal(new Set(await page.evaluate<string[]>(rows)).size, 1)
    await page.goto('/events?fields=a,b,c,d,e,f,g,h,i,j,k,at')
    const scrolls = `getComputedStyle(document.querySelector('.listing .table')).overflowY`
    assert.equal(await page.evaluate(scrolls), 'auto')
    // The cards of a narrow screen scroll with the page.
    await page.setViewportSize({ width: 380, height: 700 })
    assert.equal(await page.evaluate(scrolls), 'visible')
  },
)

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? '' : ' without JavaScript'

  test(`a column is filtered, sorted and hidden by its menu${how}`, inBrowser, async (t) => {
    const DATA_FILE = await dataFile(t, { posts: createPosts(12) })
    const { visit } = await openSite(t, { DATA_FILE })
    const page = await visit({ javaScriptEnabled, viewport: { width: 1280, height: 800 } })
    await page.goto('/posts')
    const open = (label: string) => page.getByRole('button', { name: `${label}: filter` }).click()
    await open('Views')
    await page.getByRole('combobox', { name: 'Operator for Views' }).selectOption('is at least')
    await page.getByLabel('Value of Views').fill('5523430')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByText('Views is at least 5523430').waitFor()
    await page.getByText('8 matching posts').waitFor()
    await open('Rating')
    await page.getByRole('link', { name: 'Sort descending' }).click()
    await page.locator('th[aria-sort=descending]').waitFor()
    await open('Rating')
    await page.getByRole('link', { name: 'Hide' }).click()
    await page.getByText('GET /posts?views:gte=5523430&sort=-rating&fields=').waitFor()
    assert.equal(await page.getByRole('columnheader', { name: 'Rating' }).count(), 0)
    await page.getByRole('button', { name: /^Columns 7 of/ }).click()
    await page.getByRole('checkbox', { name: 'Rating' }).check()
    await page.getByRole('button', { name: 'Apply' }).last().click()
    await page.getByRole('columnheader', { name: 'Rating' }).waitFor()
  })
}

test('Copy beside the URL of a list copies the whole URL of the view', inBrowser, async (t) => {
  const DATA_FILE = await dataFile(t, { posts: createPosts(3) })
  const site = await openSite(t, { DATA_FILE })
  const page = await site.visit({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/posts?views:gte=1&sort=-rating')
  const view = page.locator('.view')
  await view.getByText('GET /posts?views:gte=1&sort=-rating').waitFor()
  await view.getByRole('button', { name: 'Copy' }).click()
  await view.getByText('Copied').waitFor()
  assert.equal(
    await page.evaluate('navigator.clipboard.readText()'),
    `${site.origin}/posts?views:gte=1&sort=-rating`,
  )
})

test('the names of records have the space that short columns leave', inBrowser, async (t) => {
  const DATA_FILE = await dataFile(t, { posts: createPosts(3) })
  const { visit } = await openSite(t, { DATA_FILE })
  const page = await visit({ viewport: { width: 1280, height: 800 } })
  await page.goto('/posts')
  const width = `document.querySelector('tbody [scope=row]').offsetWidth`
  assert.ok((await page.evaluate<number>(width)) >= 200)
})
