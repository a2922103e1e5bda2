import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'

const emptyText = (page: Page) =>
  page.evaluate('getComputedStyle(document.querySelector(".rows"), "::after").content')

/** To look at, if SHOTS is a folder. */
async function shoot(page: Page, name: string): Promise<void> {
  const { SHOTS: folder } = process.env
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

test('a request that arrives while one watches appears without a reload', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  const page = await visit({ errorStatuses: [400, 401], viewport: { width: 1280, height: 900 } })
  await page.goto('/bins')
  await page.getByRole('button', { name: 'Create a bin' }).click()
  await page.waitForURL(/\/bins\/[\w-]{27}$/)
  const [id = ''] = /[\w-]{27}$/.exec(page.url()) ?? []
  await page.getByText('Live.').waitFor()
  const body = JSON.stringify({ order: 7 })
  const headers = { 'content-type': 'application/json' }
  const sent = await fetch(`${origin}/b/${id}/hook?paid=1`, { method: 'POST', body, headers })
  assert.equal(sent.status, 200)
  const link = page.getByRole('link', { name: '/hook?paid=1' })
  await page.getByRole('cell', { name: `${String(body.length)} bytes json` }).waitFor()
  await link.click()
  await page.getByText('"order": 7').first().waitFor()
  const inPane = page.locator('.pane .tree').getByText('"order": 7')
  const { y = Infinity } = (await inPane.boundingBox()) ?? {}
  assert.ok(y < 850, String(y))
  await page.locator('.pane').getByText('Share this request').waitFor()
  await page.locator('.pane').getByText('Remove this request', { exact: true }).waitFor()
  await shoot(page, 'request')
  await page.getByText('Response of the bin').click()
  const description = page.getByRole('textbox', { name: /description of the response/ })
  await description.fill('{"status": 202,}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('span.error').waitFor()
  assert.equal(await description.inputValue(), '{"status": 202,}')
  await shoot(page, 'error')
  await description.fill('{"status": 202}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await fetch(`${origin}/b/${id}`)).status, 202)
  await page.getByText('Response of the bin').click()
  await description.fill('{"delay": 10}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const client = new AbortController()
  const left = fetch(`${origin}/b/${id}/left`, { signal: client.signal })
  const row = page.getByRole('row', { name: '/left' })
  await row.getByText('200 OK').waitFor()
  client.abort()
  await assert.rejects(left)
  await row.getByText('cut off').waitFor()
  const other = await visit({ errorStatuses: [401], viewport: { width: 360, height: 800 } })
  await other.goto(page.url())
  await shoot(other, 'secret')
  await page.getByText('Commands with the secret').click()
  const command = await page.getByText(/--secret vbs_/).textContent()
  await other.getByLabel('secret').fill(/vbs_\S+/.exec(command ?? '')?.[0] ?? '')
  await other.getByRole('button', { name: 'Open the bin' }).click()
  await other.getByRole('link', { name: '/hook?paid=1' }).waitFor()
  await other
    .getByRole('cell', { name: /^\d\d:\d\d:\d\d$/ })
    .first()
    .waitFor()
  await shoot(other, 'narrow')
  await page.goto('/bins')
  await page.getByRole('link', { name: id }).click()
  await page.getByText('3 requests. Live.').waitFor()
  await shoot(page, 'list')
  await page.getByText('Remove the bin', { exact: true }).click()
  await shoot(page, 'remove')
  await page.getByRole('button', { name: 'Yes, remove the bin' }).click()
  await page.waitForURL(/\/bins$/)
  await page.getByText('Removed.').waitFor()
  await page.getByText('This browser has no bins yet.').waitFor()
})

test('another tab shows removals, and a filtered page is live', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ colorScheme: 'dark', viewport: { width: 1280, height: 900 } })
  await page.goto('/bins')
  await page.getByRole('button', { name: 'Create a bin' }).click()
  await page.waitForURL(/\/bins\/[\w-]{27}$/)
  const url = page.url()
  const bin = url.replace('/bins/', '/b/')
  const send = (path: string, type: string) =>
    fetch(bin + path, {
      method: 'POST',
      body: JSON.stringify({ id: 'evt_1N7a8K2eZvKYlo2C', type, data: { object: { amount: 1 } } }),
      headers: { 'content-type': 'application/json' },
    })
  const [filtered, narrow] = [await page.context().newPage(), await page.context().newPage()]
  await narrow.setViewportSize({ width: 390, height: 844 })
  await filtered.goto(`${url}?q=order.paid`)
  await narrow.goto(url)
  for (const one of [page, filtered, narrow]) await one.getByText('Live.').waitFor()
  assert.equal(await emptyText(filtered), '"No request matches."')
  await send('/hook', 'order.created')
  await send('/a/long/path/of/a/hook?with=a&query=string', 'order.paid')
  await filtered.getByText('1 request. Live.').waitFor()
  await filtered.getByText('"type":"order.paid"').waitFor()
  for (const one of [page, narrow]) await one.getByText('2 requests. Live.').waitFor()
  await shoot(page, 'previews')
  await shoot(filtered, 'filtered')
  await shoot(narrow, 'previews-narrow')
  await page.getByText('Remove all requests', { exact: true }).click()
  await page.getByRole('button', { name: 'Yes, remove all requests' }).click()
  for (const one of [filtered, narrow]) await one.getByText('0 requests. Live.').waitFor()
  await send('/hook', 'order.paid')
  for (const one of [filtered, narrow]) await one.getByText('1 request. Live.').waitFor()
  await page.getByText('Remove the bin', { exact: true }).click()
  await page.getByRole('button', { name: 'Yes, remove the bin' }).click()
  for (const one of [filtered, narrow])
    await one.getByText('0 requests. The bin has been removed.').waitFor()
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(
    `a long body is replayed, a bin has a name, and few rows leave no gap: ${colorScheme}`,
    inBrowser,
    async (t) => {
      const { origin, visit } = await openSite(t)
      const page = await visit({ colorScheme, viewport: { width: 1280, height: 900 } })
      await page.goto('/bins')
      await page.getByLabel('Name (optional)').fill('Orders')
      await page.getByRole('button', { name: 'Create a bin' }).click()
      await page.getByRole('heading', { name: 'Orders' }).waitFor()
      const [id = ''] = /[\w-]{27}$/.exec(page.url()) ?? []
      await page.getByText('Live.').waitFor()
      await fetch(`${origin}/b/${id}/long`, { method: 'POST', body: 'x'.repeat(900_000) })
      await page.getByText('1 request. Live.').waitFor()
      const removal = page.getByText('Remove the bin', { exact: true })
      assert.ok(await removal.isVisible())
      const { y = Infinity } = (await removal.boundingBox()) ?? {}
      assert.ok(y < 880, String(y))
      await shoot(page, `few-${colorScheme}`)
      await page.getByText('Name of the bin').click()
      await page.getByLabel('Name', { exact: true }).fill('W'.repeat(100))
      await shoot(page, `rename-${colorScheme}`)
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByText('Saved.').waitFor()
      await shoot(page, `renamed-${colorScheme}`)
      await page.getByRole('link', { name: '/long' }).click()
      await page.getByText('Only the start is shown. Download the body.').waitFor()
      await shoot(page, `pane-${colorScheme}`)
      await page.getByRole('link', { name: 'Open as a page' }).click()
      await shoot(page, `long-${colorScheme}`)
      await page.getByRole('tab', { name: 'Code' }).click()
      await shoot(page, `code-${colorScheme}`)
      await page.getByRole('button', { name: 'Replay in this browser' }).click()
      await page.getByText('Response: 200 OK').waitFor()
      await page.goto('/bins')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 1280)
      await shoot(page, `bins-${colorScheme}`)
      await page.getByRole('link', { name: 'W'.repeat(100) }).click()
      await page.getByText('2 requests. Live.').waitFor()
      assert.equal(await page.getByRole('cell', { name: /^879 KiB/ }).count(), 2)
    },
  )
}
