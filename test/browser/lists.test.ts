import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedRecords } from '../../src/cli/seed.ts'
import { loadConfig } from '../../src/config/config.ts'
import { openRecords } from '../../src/stores/open-stores.ts'
import { dataFile } from '../support/data-app.ts'
import { readNames, temporaryDatabase } from '../support/resources.ts'
import { inBrowser } from './chromium.ts'
import { assertFlawless } from './assert-flawless.ts'
import { openSite, type Site } from './site.ts'
import { waitForHeading } from './steps.ts'

const longWord = 'W'.repeat(200)
const hebrew = 'ירושלים, with English'

async function fill({ app }: Site, names: readonly string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    const payload = {
      name,
      latitude: 30 + (index % 6) * 10,
      longitude: 30,
      note: `${name} ${longWord}`,
    }
    await app.inject({ method: 'PUT', url: `/locations/r${String(index)}`, payload })
  }
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? '' : ' without JavaScript'

  test(`a list is searched, cut into pages and shown whole again${how}`, inBrowser, async (t) => {
    const site = await openSite(t)
    await fill(site, ['Rome', 'Paris', 'Kyoto'])
    const page = await site.visit({ javaScriptEnabled })
    await page.goto('/locations')
    await page.getByText('All 3 locations', { exact: true }).waitFor()
    await page.getByRole('searchbox').fill('o')
    const choose = async (size: string) => {
      await page.getByRole('combobox').selectOption(size)
      // A script applies the choice at once.
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Apply' }).click()
    }
    await choose('20 per page')
    await page.getByText('2 matching locations', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Remove the filter' }).click()
    await page.getByText('All 3 locations', { exact: true }).waitFor()
    await choose('All on one page')
    await page.getByText('All 3 locations', { exact: true }).waitFor()
    if (javaScriptEnabled) assert.equal(new URL(page.url()).search, '')
  })
}

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

  test(
    `selected records are deleted, and one that has changed is kept and named${how}`,
    inBrowser,
    async (t) => {
      const site = await openSite(t)
      await fill(site, ['Rome', 'Paris', 'Kyoto', 'Lima'])
      const page = await site.visit({ javaScriptEnabled, errorStatuses: [412] })
      const remove = async (...names: readonly string[]) => {
        await page.goto('/locations')
        for (const name of names)
          await page.getByRole('checkbox', { name: `Select ${name}` }).check()
        const button = javaScriptEnabled ? `Delete ${String(names.length)}` : 'Delete selected'
        await page.getByRole('button', { name: button, exact: true }).click()
      }
      const confirm = () => page.getByRole('button', { name: 'Yes, delete them' }).click()
      await remove('Rome', 'Paris')
      const count = javaScriptEnabled ? '2 locations' : 'the selected locations'
      await page.getByText(`Delete ${count}? This cannot be undone.`).waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText(`Delete ${count}?`).waitFor({ state: 'hidden' })
      await remove('Rome', 'Paris')
      await confirm()
      await page.getByText('All 2 locations').waitFor()
      await page.getByRole('status').getByText('Deleted 2 locations.').waitFor()
      await remove('Kyoto', 'Lima')
      await site.app.inject({ method: 'PATCH', url: '/locations/r3', payload: { note: 'new' } })
      await confirm()
      await page.getByText('Lima: It has changed since the list was loaded.').waitFor()
      assert.equal(await readNames(site.app, '/locations'), 'Lima')
      await remove('Lima')
      await confirm()
      await page.getByRole('status').getByText('Deleted 1 location.').waitFor()
    },
  )
}

test('Shift selects a range of records, and one box all of them', inBrowser, async (t) => {
  const site = await openSite(t)
  await fill(site, ['Rome', 'Paris', 'Kyoto', 'Lima', 'Quito'])
  const page = await site.visit()
  await page.goto('/locations')
  const box = (name: string) => page.getByRole('checkbox', { name, exact: true })
  const checked = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('tbody .pick :checked')].map(({ ariaLabel }) => ariaLabel)`,
    )
  assert.equal(await page.locator('.view-bar > .delete').isVisible(), false)
  await box('Select Lima').click()
  await page.getByRole('button', { name: 'Delete 1', exact: true }).waitFor()
  await box('Select Paris').click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Delete 3', exact: true }).waitFor()
  assert.deepEqual(await checked(), ['Select Paris', 'Select Kyoto', 'Select Lima'])
  await box('Select Kyoto').click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Delete 1', exact: true }).waitFor()
  assert.deepEqual(await checked(), ['Select Lima'])
  await box('Select all').click()
  await page.getByRole('button', { name: 'Delete 5', exact: true }).waitFor()
  await box('Select all').click()
  await page.locator('.view-bar > .delete').waitFor({ state: 'hidden' })
})

test('every mark of the map is reached with Tab and leads to its record', inBrowser, async (t) => {
  const site = await openSite(t)
  await fill(site, ['Rome', 'Paris', 'Kyoto'])
  const page = await site.visit({ viewport: { width: 1600, height: 900 } })
  await page.goto('/locations')
  const focused =
    'document.activeElement.closest("svg[aria-label]") && document.activeElement.textContent.trim()'
  await page.getByRole('row', { name: 'Kyoto' }).getByRole('link').focus()
  for (const name of ['Rome', 'Paris', 'Kyoto']) {
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(focused), name)
  }
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Kyoto')
})

test('pages with long words and right-to-left text have no defect', inBrowser, async (t) => {
  const site = await openSite(t)
  await fill(site, [longWord, hebrew])
  const page = await site.visit({ errorStatuses: [412] })
  await assertFlawless(page, [
    ...['/locations', '/locations/r0', '/locations/r1', '/locations/r1/edit'],
    ...[`/locations?q=${longWord}`, '/locations?q=none'],
    ['/locations/r1/', { _method: 'PATCH', _if_match: '"stale"', name: longWord, note: hebrew }],
  ])
  await page.setViewportSize({ width: 320, height: 800 })
  for (const path of ['/locations', '/locations/r0', '/locations/r0/edit', '/locations/new']) {
    await page.goto(path)
    const overflow = 'document.documentElement.scrollWidth - innerWidth'
    assert.equal(await page.evaluate<number>(overflow), 0, path)
  }
})

test('a time shows the local time when the pointer is on it', inBrowser, async (t) => {
  const site = await openSite(t)
  await fill(site, ['Rome'])
  const page = await site.visit({ timezoneId: 'Asia/Tokyo', locale: 'en' })
  await page.goto('/locations')
  const time = page.locator('time').first()
  await time.hover()
  assert.match((await time.getAttribute('title')) ?? '', /GMT\+9$/)
})

test('a printed list has its records and none of its controls', inBrowser, async (t) => {
  const site = await openSite(t)
  await fill(site, ['Rome'])
  const page = await site.visit()
  await page.goto('/locations')
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.getByRole('rowheader', { name: 'Rome' }).isVisible(), true)
  assert.equal(await page.locator('form, .types, .listing-head').locator('visible=true').count(), 0)
})

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

test('a window of 800 px has 10 rows with long texts, beside the map', inBrowser, async (t) => {
  const site = await openSite(t)
  await fill(
    site,
    Array.from(
      { length: 15 },
      (_, index) => `${hebrew} ${String(index)}, ${'a long name '.repeat(9)}`,
    ),
  )
  const page = await site.visit({ viewport: { width: 1280, height: 800 } })
  await page.goto('/locations')
  assert.ok((await page.evaluate<number>(rowsInView)) >= 10)
  const cells = `[...document.querySelectorAll('tbody td:not(.pick), tbody th > a')].every((cell) => cell.dir === 'auto')`
  assert.equal(await page.evaluate(cells), true)
})

test('a list with 10,000 records moves little while it loads', inBrowser, async (t) => {
  const DATABASE_URL = await temporaryDatabase(t)
  const { records, close } = await openRecords(loadConfig({ DATABASE_URL }, ['locations']))
  await seedRecords(records, 10_000)
  await close()
  const { visit } = await openSite(t, { DATABASE_URL })
  const page = await visit({ viewport: { width: 1280, height: 800 } })
  await page.addInitScript(`globalThis.shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })`)
  await page.goto('/locations')
  await page.getByText('All 10,000 locations').waitFor()
  await page.locator('details.inspector .status').waitFor()
  const shift = await page.evaluate<number>('shift')
  assert.ok(shift <= 0.1, String(shift))
})

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
