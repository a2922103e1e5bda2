import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ComposerRequest } from '../../src/site/composer.ts'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'

test('the composer of the home page sends the chosen request', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ errorStatuses: [404] })
  await page.goto('/')
  const composer = page.locator('.panel')
  const result = composer.locator('.result')
  await composer.getByRole('button', { name: 'Send' }).click()
  await result.locator('.exchange').last().waitFor()
  // The fields of the composer are higher than the buttons in an exchange, and closer together.
  await result.getByRole('tab', { name: 'Code' }).first().click()
  const copy = await result.getByRole('button', { name: 'Copy' }).boundingBox()
  assert.ok(copy && copy.height < 32, 'the copy button fits beside the tabs')
  for (const chip of await composer.locator('.chips a').all()) {
    await chip.click()
    await page.keyboard.press('Enter')
    const fill = JSON.parse(String(await chip.getAttribute('data-fill'))) as ComposerRequest
    const { method, target = '' } = fill
    await result
      .locator('.t-meta', { hasText: `${method} ${target} HTTP` })
      .waitFor({ state: 'attached' })
    await result.locator('[role=status]', { hasText: /^Response: \d{3}/ }).waitFor()
  }
  await page.getByLabel('Path').fill('//example.org/')
  await composer.getByRole('button', { name: 'Send' }).click()
  await result.getByRole('status').filter({ hasText: 'There is no response' }).waitFor()
  assert.equal(await result.getByText('There is no response').count(), 1)
  await page.getByLabel('Method').selectOption('POST')
  await page.getByLabel('Path').fill('/mirror/field')
  await page.getByRole('textbox', { name: 'Body' }).fill('{"a":"brass"}')
  await composer.getByRole('button', { name: 'Send' }).click()
  await result.locator('[data-part=body] pre', { hasText: 'brass' }).waitFor()
  await result.getByRole('tab', { name: 'Code' }).first().click()
  await result.locator('pre', { hasText: '-d \'{"a":"brass"}\'' }).waitFor()
  // In the command, each of them ends a string: more parts than a call can have arguments.
  await page
    .getByRole('textbox', { name: 'Body' })
    .fill(JSON.stringify({ a: "1'".repeat(100_000) }))
  await composer.getByRole('button', { name: 'Send' }).click()
  await result.locator('pre', { hasText: "1'1'1'" }).first().waitFor()
})

test('a second send replaces the first, whose response is slower', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  const isReleased = Promise.withResolvers<undefined>()
  await page.route('/mirror?slow', async (route) => {
    await isReleased.promise
    await route.continue()
  })
  await page.goto('/')
  const send = page.locator('.composer').getByRole('button', { name: 'Send' })
  await page.getByLabel('Path').fill('/mirror?slow')
  await send.click()
  await page.getByLabel('Path').fill('/mirror?fast')
  await send.click()
  const line = page.locator('.panel .exchange .line')
  await line.filter({ hasText: '/mirror?fast' }).waitFor()
  isReleased.resolve(undefined)
  await page.getByLabel('Path').fill('/mirror?last')
  await send.click()
  await line.filter({ hasText: '/mirror?last' }).waitFor()
  assert.equal(await line.filter({ hasText: 'slow' }).count(), 0)
})

test('without JavaScript the requests of the home page are links', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ javaScriptEnabled: false })
  await page.goto('/')
  assert.equal(await page.getByRole('button', { name: 'Send' }).count(), 0)
  await page.getByText('Enable JavaScript to send requests from this page.').waitFor()
  await page.locator('.chips a[href^="/mirror/query"]').click()
  await page.waitForURL('/mirror/query?a=glass')
})
