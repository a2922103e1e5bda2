import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedRecords } from '../../src/cli/seed.ts'
import { loadConfig } from '../../src/config/config.ts'
import { openRecords } from '../../src/stores/open-stores.ts'
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

const rowsInView = `[...document.querySelectorAll('tbody tr')].filter((row) =>
  row.getBoundingClientRect().bottom <= innerHeight).length`

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
