import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startRedis, withRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
import { assertFlawless } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { findFlawsOfState } from './look.ts'
import { openSite } from './site.ts'

const rows = (page: Page) => page.locator('.rows tbody tr')
const targets = (page: Page) => page.locator('.rows tbody th code').allTextContents()
const state = (page: Page, text: RegExp) =>
  page.locator('[data-part=state]').filter({ hasText: text })

test('requests appear as they arrive, with the redirects before them', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  const page = await visit()
  await page.goto('/inspector')
  await state(page, /Live/).waitFor()
  await fetch(`${origin}/api/json`)
  await fetch(`${origin}/httpbin/redirect/1`)
  await rows(page).nth(2).waitFor()
  assert.deepEqual(await targets(page), ['/httpbin/get', '/httpbin/redirect/1', '/api/json'])
  await page.locator('.rows tr.earlier').getByText('/httpbin/redirect/1').waitFor()
  await state(page, /^3 requests\. Live/).waitFor()
})

test(
  'with INSPECTOR=own a key lists the requests of a browser and of curl',
  inBrowser,
  async (t) => {
    const { origin, visit } = await openSite(t, { INSPECTOR: 'own' })
    const page = await visit()
    await page.goto('/inspector')
    assert.equal(await page.locator('.exchanges').count(), 0)
    await assertFlawless(page, ['/inspector'])
    const key = await page.getByLabel('Key').inputValue()
    await page.getByRole('button', { name: 'Use this key' }).click()
    await state(page, /^0 requests\. Live/).waitFor()
    assert.equal(await page.getByLabel('Key').inputValue(), key)
    const tab = await page.context().newPage()
    await tab.goto('/mirror/query?a=browser')
    await fetch(`${origin}/mirror/query?a=other`, { headers: { 'x-inspector': `${key}2` } })
    await fetch(`${origin}/mirror/query?a=curl`, { headers: { 'x-inspector': key } })
    await rows(page).nth(1).waitFor()
    assert.deepEqual(await targets(page), ['/mirror/query?a=curl', '/mirror/query?a=browser'])
    await tab.goto('/learn/methods')
    await tab.getByText(`'X-Inspector: ${key}'`).filter({ visible: true }).first().waitFor()
    const commands = await tab.locator('.step .command code').allTextContents()
    const sent = commands.filter((text) => text.startsWith('curl'))
    const options = [` -H 'X-Inspector: ${key}'`, ` -H "X-Inspector: ${key}"`]
    for (const text of sent)
      assert.ok(
        options.some((option) => text.includes(option)),
        text,
      )
    await tab.context().clearCookies()
    await tab.reload()
    await until(() => tab.evaluate<boolean>('localStorage.hasKey === undefined'))
    assert.equal(await tab.getByText('X-Inspector').count(), 0)
  },
)

test('with INSPECTOR=own a key can be chosen without JavaScript', inBrowser, async (t) => {
  const { visit } = await openSite(t, { INSPECTOR: 'own' })
  const page = await visit({ javaScriptEnabled: false })
  await page.goto('/inspector')
  await page.getByLabel('Key').fill('our-group-of-three')
  await page.getByRole('button', { name: 'Use this key' }).click()
  await page.goto('/mirror/query?a=browser')
  await page.goto('/inspector')
  await page.getByRole('link', { name: '/mirror/query?a=browser' }).waitFor()
})

test('the list is filtered, live too', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  const page = await visit()
  await fetch(`${origin}/nowhere`)
  await page.goto('/inspector')
  await page.getByLabel('Errors').check()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/errors=1/)
  await state(page, /Live/).waitFor()
  await fetch(`${origin}/api/json`)
  await fetch(`${origin}/also-nowhere`)
  await rows(page).nth(1).waitFor()
  assert.deepEqual(await targets(page), ['/also-nowhere', '/nowhere'])
})

test('rows wait while the list is paused, or the pointer is over it', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  const page = await visit()
  await fetch(`${origin}/api/json`)
  await page.goto('/inspector')
  await state(page, /Live/).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await fetch(`${origin}/mirror/query?a=1`)
  await page.getByRole('button', { name: 'Show 1 new' }).waitFor()
  assert.equal(await rows(page).count(), 1)
  await page.getByRole('button', { name: 'Resume' }).click()
  await rows(page).nth(1).waitFor()
  await rows(page).first().hover()
  await fetch(`${origin}/mirror/query?a=2`)
  await page.getByRole('button', { name: 'Show 1 new' }).waitFor()
  assert.equal(await rows(page).count(), 2)
  await page.getByRole('heading', { level: 1 }).hover()
  await rows(page).nth(2).waitFor()
})

test('rows in sight stay in place, and 200 are kept', inBrowser, async (t) => {
  const { app, origin, visit } = await openSite(t)
  for (let at = 0; at < 198; at += 1) await app.inject(`/mirror/query?a=${String(at)}`)
  const page = await visit()
  await page.goto('/inspector')
  await state(page, /Live/).waitFor()
  const top = () =>
    page.evaluate<number>(
      "document.querySelectorAll('.rows tbody tr')[document.querySelectorAll('.rows tbody tr').length - 150].getBoundingClientRect().top",
    )
  await page.evaluate("document.querySelector('.rows').scrollTop = 900")
  const [before, box] = [await top(), await page.locator('.rows').boundingBox()]
  for (const path of ['/api/json', '/nowhere']) await fetch(origin + path)
  await state(page, /^200 requests/).waitFor()
  assert.ok(Math.abs((await top()) - before) < 2)
  assert.deepEqual(await page.locator('.rows').boundingBox(), box)
  for (const path of ['/api/json', '/nowhere']) await fetch(origin + path)
  await until(async () => (await targets(page)).filter((one) => one === '/nowhere').length === 2)
  assert.equal(await rows(page).count(), 200)
})

test(
  'an exchange opens beside the list, also by keyboard, and is replayed',
  inBrowser,
  async (t) => {
    const { origin, visit } = await openSite(t)
    await fetch(`${origin}/api/json`)
    await fetch(`${origin}/mirror/query?a=b`)
    const page = await visit()
    await page.goto('/inspector')
    await state(page, /Live/).waitFor()
    await rows(page).getByRole('link').first().focus()
    await page.keyboard.press('Enter')
    const pane = page.locator('.pane')
    await pane.locator('.line', { hasText: '/mirror/query?a=b' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await pane.locator('.line', { hasText: '/api/json' }).waitFor()
    await pane.getByRole('tab', { name: 'Timing' }).click()
    await pane.getByText('in total').waitFor()
    await pane.getByRole('tab', { name: 'Code' }).click()
    await pane.getByRole('button', { name: 'Replay in this browser' }).first().click()
    await pane.getByRole('status').getByText('Response: 200 OK').waitFor()
    await pane.locator('.result .line', { hasText: '/api/json' }).waitFor()
    await pane.getByRole('button', { name: 'Close' }).click()
    await pane.waitFor({ state: 'hidden' })
    assert.match(page.url(), /\/inspector$/)
  },
)

test('two requests are compared, and the list is cleared', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  await fetch(`${origin}/api/json`)
  await fetch(`${origin}/mirror/query?a=b`)
  const page = await visit()
  await page.goto('/inspector')
  const compare = page.getByRole('button', { name: 'Compare two' })
  for (const box of await rows(page).getByRole('checkbox').all()) {
    assert.equal(await compare.isDisabled(), true)
    await box.check()
  }
  await compare.click()
  await page.getByRole('heading', { name: 'Compare two requests' }).waitFor()
  await page.locator('del').getByText('GET /api/json HTTP/1.1').waitFor()
  await page.locator('ins').getByText('GET /mirror/query?a=b HTTP/1.1').waitFor()
  const url = page.url().replace(origin, '')
  await assertFlawless(page, [url])
  await page.goto('/inspector')
  await page.getByRole('button', { name: 'Clear' }).click()
  await state(page, /^0 requests/).waitFor()
})

test('the list and an open exchange have no defect', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  await fetch(`${origin}/nowhere?token=a`)
  await fetch(`${origin}/httpbin/redirect/1`)
  const page = await visit()
  await assertFlawless(page, ['/inspector', '/inspector?assets=1&status=2xx'])
  const open = async () => {
    await page.setViewportSize({ width: 1100, height: 800 })
    await page.goto('/inspector')
    await state(page, /Live/).waitFor()
    await rows(page).getByRole('link').first().click()
    await page.locator('.pane [data-exchange]').waitFor()
  }
  assert.deepEqual(await findFlawsOfState(page, open), [])
})

test('without JavaScript the list is reloaded', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  const page = await visit({ javaScriptEnabled: false })
  await page.goto('/inspector')
  await fetch(`${origin}/api/json`)
  await page.getByRole('link', { name: 'Reload' }).click()
  await page.getByRole('link', { name: '/api/json' }).click()
  await page.getByRole('heading', { name: 'GET /api/json' }).waitFor()
  await page.getByText('in total').waitFor()
})

const inBrowserWithRedis = { skip: inBrowser.skip || withRedis.skip }

test('a notice is shown while other replicas cannot be asked', inBrowserWithRedis, async (t) => {
  const redis = await startRedis()
  t.after(redis.kill)
  const { visit } = await openSite(t, { REDIS_URL: redis.url })
  const page = await visit()
  await page.goto('/inspector')
  const notice = page.locator('[data-part=notice]')
  await notice.waitFor({ state: 'hidden' })
  await redis.kill()
  await notice.getByText('Only the requests that this replica').waitFor()
  await assertFlawless(page, ['/inspector'])
  await page.goto('/inspector')
  await notice.waitFor()
  await redis.restart()
  await notice.waitFor({ state: 'hidden' })
})
