import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'

test('a request that arrives while one watches appears without a reload', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  const page = await visit({ viewport: { width: 1280, height: 900 } })
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
  await link.click()
  await page.getByText('"order": 7').first().waitFor()
  if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT, fullPage: true })
  await page.getByText('Response of the bin').click()
  await page.getByRole('textbox', { name: /description of the response/ }).fill('{"status": 202}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\/bins\/[\w-]{27}$/)
  assert.equal((await fetch(`${origin}/b/${id}`)).status, 202)
  await page.goto('/bins')
  await page.getByRole('link', { name: id }).click()
  await page.getByRole('button', { name: 'Remove the bin' }).click()
  await page.waitForURL(/\/bins$/)
  await page.getByText('This browser has no bins yet.').waitFor()
})
