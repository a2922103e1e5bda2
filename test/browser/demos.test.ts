import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { demos } from '../../src/demos/catalogue.ts'
import { assertFlawless } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { light } from './look.ts'
import { formPages, openSite } from './site.ts'
import { submit, waitForHeading } from './steps.ts'

const errorStatuses = [304, 401, 403, 404, 418, 422, 429, 500, 503]

test('each status code shows its exchange in place, with an explanation', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ errorStatuses })
  await page.goto('/demos/status')
  const exchanges = page.locator('.result .exchange')
  for (const code of ['302', '304', '403', '404', '500']) {
    await page.locator('.chips a', { hasText: code }).click()
    await page.keyboard.press('Enter')
    const line = exchanges.first().locator('.line', { hasText: `/status/${code}` })
    await line.waitFor({ state: 'attached' })
    assert.equal(await page.getByRole('textbox', { name: 'code' }).inputValue(), code)
    assert.equal(await exchanges.count(), code === '302' ? 2 : 1)
    assert.match(await exchanges.last().locator('.note').innerText(), /\w\.$/)
  }
  await page.getByRole('textbox', { name: 'code' }).fill('418')
  assert.deepEqual(await page.locator('.chips [aria-current]').allInnerTexts(), [
    "418 I'm a Teapot",
  ])
  await page.keyboard.press('Enter')
  await page.getByRole('status').filter({ hasText: '418' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/demos/status')
})

test('without JavaScript a status code is a page with a way back', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ errorStatuses, javaScriptEnabled: false })
  await page.goto('/demos/status')
  await page.locator('.chips a', { hasText: '404' }).click()
  await waitForHeading(page, '404 Not Found')
  await page.getByRole('link', { name: 'Back to Status' }).click()
  await waitForHeading(page, 'Status')
})

test('without JavaScript a sample that needs it keeps its heading', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ javaScriptEnabled: false })
  await page.goto('/demos/bodies')
  const sample = page.getByRole('region', { name: 'JSON', exact: true })
  await sample.getByRole('heading', { name: 'JSON', exact: true }).waitFor()
  assert.match(await sample.locator('noscript').innerText(), /^Enable JavaScript/)
  assert.equal(await sample.locator('textarea, button').filter({ visible: true }).count(), 0)
})

for (const path of formPages.filter((path) => path !== '/profile.html')) {
  test(`the form of ${path} shows its response in place`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto(path)
    await page.getByLabel('Bike').check()
    await submit(page, { Topic: 'Zoë & 日本' }, 'Send')
    const response = page.locator('[data-part=body]')
    await response.getByText('Zoë & 日本').waitFor()
    const { pathname, searchParams } = new URL(page.url())
    const inAddressBar = path === '/topic.html' ? 'Zoë & 日本' : null
    assert.deepEqual([pathname, searchParams.get('a')], [path, inAddressBar])
    await page.getByRole('tab', { name: 'Request' }).click()
    await page.getByRole('tabpanel').getByText('Zo%C3%AB+%26').first().waitFor()
  })

  test(`without JavaScript the form of ${path} leads to a page and back`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ javaScriptEnabled: false })
    await page.goto(path)
    await submit(page, { Topic: 'Zoë & 日本' }, 'Send')
    await waitForHeading(page, '200 OK')
    await page.getByText('Zoë & 日本').waitFor()
    await page.getByRole('link', { name: /^Back to/ }).click()
    await page.getByRole('heading', { name: 'What to look for' }).waitFor()
  })
}

/** Sends every sample request of the page. */
async function sendAll(page: Page): Promise<void> {
  for (const place of await page.locator('.try').all()) {
    for (const file of await place.locator('input[type=file]').all()) {
      const name = 'glass.bin'
      await file.setInputFiles({ name, mimeType: 'image/x-glass', buffer: Buffer.of(0, 1, 255) })
    }
    await place.getByRole('button', { name: 'Send' }).click()
    await place.locator('[role=status]', { hasText: 'Response:' }).waitFor()
  }
}

test('every sample request can be sent, and the pages have no defect', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ errorStatuses })
  for (const { name } of demos) {
    await page.goto(`/demos/${name}`)
    await sendAll(page)
    await assertFlawless(page, [`/demos/${name}`], [light])
  }
})

test('a long, a binary and a missing body are shown as such', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  const bodies = {
    '/mirror?long': { contentType: 'text/plain', body: 'x'.repeat(3_000_000) },
    '/mirror?binary': { contentType: 'image/x-glass', body: Buffer.of(0, 1, 255) },
    '/mirror?none': { contentType: 'text/plain', body: '' },
    '/mirror?html': { contentType: 'text/html', body: '<b>bold</b>' },
  }
  for (const [url, response] of Object.entries(bodies)) {
    await page.route(url, (route) => route.fulfill(response))
  }
  const shown = {
    '/mirror?long': 'MiB, text/plain. This is the start.',
    '/mirror?binary': '00 01 ff',
    '/mirror?none': 'There is no body.',
    '/mirror?html': '<b>bold</b>',
  }
  await page.goto('/')
  for (const [url, text] of Object.entries(shown)) {
    await submit(page, { Path: url }, 'Send')
    await page.locator('.result').getByText(text).waitFor()
  }
})
