import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from './chromium.ts'
import { findFlawsOfState } from './look.ts'
import { openSite } from './site.ts'
import { openPanel } from './steps.ts'

async function send(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: /^Send/ }).first().click()
  await page.locator('.exchange').last().waitFor()
}

const states: readonly [name: string, path: string, open: (page: Page) => Promise<unknown>][] = [
  ['the menu', '/', (page) => page.getByRole('button', { name: 'Menu' }).click()],
  ['the delete confirmation', '/locations/one', confirmDeletion],
  [
    'the choice of columns',
    '/locations',
    (page) => page.getByRole('button', { name: /^Columns/ }).click(),
  ],
  ['the menu of a column', '/locations', openColumnMenu],
  ['the menu of a column with numbers', '/locations', openNumberMenu],
  ['the deletion of selected records', '/locations', selectRecord],
  ['the request inspector', '/locations/one', openPanel],
  ['the response on the home page', '/', send],
  ['the response on the page of a demo', '/demos/mirror', send],
  ['the response of an operation', '/docs/getLocations', send],
  ['the response in a lesson', '/learn/forms-and-bodies', send],
  ['the marked headers of a lesson', '/learn/concurrent-edits', send],
  ['the composer of the home page', '/', openComposer],
  ['the composer of an operation', '/docs/patchLocationsId', openComposer],
  ['the composer of a lesson', '/learn/cross-site-requests', openComposer],
  ['the composer of a description', '/responses', openComposer],
  ['the composer of a demo', '/demos/bodies', openComposer],
]

async function openComposer(page: Page): Promise<void> {
  await page.evaluate(
    'document.querySelectorAll(".composer details").forEach((one) => (one.open = true))',
  )
  await page.locator('[data-part=history] li').first().waitFor()
}

/** A small screen has no headings. */
async function openColumnMenu(page: Page): Promise<void> {
  await page.evaluate('document.querySelector("#column-1").showPopover()')
  await page.getByRole('button', { name: 'Filter', exact: true }).waitFor()
}

async function openNumberMenu(page: Page): Promise<void> {
  await page.evaluate('document.querySelector("#column-2").showPopover()')
  await page.getByLabel('Second limit of Longitude').waitFor()
}

async function selectRecord(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select Pier' }).check()
  await page.getByRole('button', { name: 'Delete 1' }).click()
}

async function confirmDeletion(page: Page): Promise<void> {
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: /^Yes, delete/ }).waitFor()
}

test('no opened state has a defect', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  await app.inject({ method: 'PUT', url: '/locations/one', payload: { name: 'Pier' } })
  const page = await visit({ errorStatuses: [404] })
  for (const [name, path, open] of states) {
    await t.test(name, async () => {
      const flaws = await findFlawsOfState(page, async () => {
        await page.goto(path)
        await open(page)
      })
      assert.deepEqual(flaws, [])
    })
  }
})
