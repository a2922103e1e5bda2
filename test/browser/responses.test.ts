import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from './chromium.ts'
import { findFlawsOfState, findOverflow } from './look.ts'
import { openSite } from './site.ts'

const toUrl = async (page: Page) =>
  String(await page.locator('.commands figure code').first().textContent())
const toCommand = async (page: Page) =>
  String(await page.locator('.commands figure code').nth(1).textContent())

async function preset(page: Page, name: string) {
  await page.goto('/responses')
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const { message, exchanges } = toResult(page)
  await message.getByText(/^Response: /).waitFor()
  return { message, exchanges }
}

function toResult(page: Page) {
  const result = page.locator('.compose .result')
  return { message: result.getByRole('status'), exchanges: result.locator('.exchange') }
}

test('the URL and the commands have what is set, and can be copied', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/responses')
  const url = `${origin}/responses/custom`
  assert.equal(await toUrl(page), url)
  await page.getByLabel('Status', { exact: true }).fill('418')
  await page.getByText("I'm a Teapot").and(page.locator('.quiet')).waitFor()
  await page.getByLabel('Headers 1').fill("X-A: it's 1 & 2")
  await page.getByLabel('Headers 2').fill('X-B: é')
  await page.getByRole('radio', { name: 'JSON' }).check()
  await page.getByLabel('Body, as JSON').fill('[1]')
  const query = 'status=418&header=X-A:+it%27s+1+%26+2&header=X-B:+%C3%A9&json=%5B1%5D'
  assert.equal(await toUrl(page), `${url}?${query}`)
  assert.equal(await toCommand(page), `curl -i '${url}?${query}'`)
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${url}?${query}`)
  await page.getByRole('radio', { name: 'Text' }).check()
  await page.getByText('Failures').click()
  await page.getByRole('spinbutton', { name: 'Fail first' }).fill('2')
  assert.match(await toUrl(page), /\/responses\/sequence\/\w+\?steps=503\*2,418&header=/)
  assert.match(await toCommand(page), /^curl -i --retry 2 '/)
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText("I'm a Teapot").and(page.locator('.quiet')).waitFor({ state: 'hidden' })
  assert.equal(await toUrl(page), url)
})

test('the composer is used with the keyboard', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ errorStatuses: [503] })
  await page.goto('/responses')
  await page.getByLabel('Status', { exact: true }).focus()
  await page.keyboard.type('503')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Retry-After: 7')
  await page.keyboard.press('Enter')
  const { message, exchanges } = toResult(page)
  await message.getByText('Response: 503 Service Unavailable').waitFor()
  await exchanges.locator('.mattered').getByText('retry-after').waitFor()
})

test('a preset fills in the form and shows the exchange', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  const page = await visit()
  const { exchanges } = await preset(page, 'Set a cookie')
  const body = exchanges.locator('[data-part=body]')
  await body.getByText('set-cookie').waitFor()
  await body.getByText('; Max-Age=60; Path=/responses').waitFor()
  await body.getByText('Hello', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Cookies 1').inputValue(), 'fruit=apple; Max-Age=60')
  assert.equal(await page.locator('.chips [aria-current]').innerText(), 'Set a cookie')
  const href = await page.locator('.chips [aria-current]').getAttribute('href')
  assert.equal(await toUrl(page), origin + String(href))
})

for (const name of ['Slow JSON', 'Chunked with trailers', 'Early hints', 'Set a cookie']) {
  test(`the URL of the preset ${name} is that of its link`, inBrowser, async (t) => {
    const { app, origin, visit } = await openSite(t)
    const page = await visit()
    await preset(page, name)
    const sent = new URL(await toUrl(page))
    const link = await page.locator('.chips [aria-current]').getAttribute('href')
    assert.deepEqual([...sent.searchParams], [...new URL(String(link), origin).searchParams])
    assert.equal((await app.inject(String(link))).statusCode, 200)
  })
}

test('a sequence shows each of its responses, every time', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ errorStatuses: [503] })
  const { message, exchanges } = await preset(page, '503 twice, then 200')
  for (const time of ['once', 'again']) {
    assert.deepEqual((await message.innerText()).match(/\d{3}(?= [A-Z])/g), ['503', '503', '200'])
    assert.equal(await exchanges.count(), 3, time)
    // Until the request is sent, the message has the responses of before.
    const last = page.waitForResponse((one) => one.url().includes('?steps=') && one.ok())
    await page.getByRole('button', { name: 'Send' }).click()
    await last
    await message.getByText(/^Response: /).waitFor()
    const sent = await page.locator('.compose .diagram .method').allInnerTexts()
    assert.deepEqual(sent, ['DELETE', 'GET', 'GET', 'GET'], time)
  }
  await page.getByText(/^One click on Send sends 4 requests: /).waitFor()
  await page.getByText(/^URL/).waitFor()
})

test('a body that is cut off shows what arrived', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ expectsBlocked: true })
  const { message } = await preset(page, 'Body cut off')
  await message.getByText(/^Response: 200 OK.* m?s, then the body was cut off\.$/).waitFor()
})

test('without JavaScript the form sends the described response', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ errorStatuses: [404], javaScriptEnabled: false })
  await page.goto('/responses')
  await page.getByLabel('Status', { exact: true }).fill('404')
  await page.getByLabel('Text', { exact: true }).fill('Not here & now')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Not here & now').waitFor()
  assert.equal(new URL(page.url()).pathname, '/responses/custom')
})

test('the page with an exchange has no defect', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  const open = async () => {
    await preset(page, 'Chunked with trailers')
    await page.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))')
  }
  assert.deepEqual(await findFlawsOfState(page, open), [])
  await page.setViewportSize({ width: 320, height: 640 })
  assert.deepEqual(await findOverflow(page), [])
})
