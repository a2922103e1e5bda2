import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecord, readRecord } from '../support/resources.ts'
import { assertFlawless } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'
import { waitForHeading } from './steps.ts'

test('an operation is found and sent with the keyboard alone', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  const { _id } = await createRecord(app, '/locations', { name: 'Rome' })
  const page = await visit()
  await page.goto('/docs')
  const { keyboard } = page
  await keyboard.press('/')
  await keyboard.type('no such thing')
  await page.getByRole('status').getByText('Nothing matches.').waitFor()
  await keyboard.press('Escape')
  await keyboard.type('update loc')
  await page.getByRole('status').getByText('1 operation', { exact: true }).waitFor()
  await keyboard.press('Enter')
  await waitForHeading(page, 'Update fields of a location')
  assert.equal(new URL(page.url()).pathname, '/docs/patchLocationsId')
  await page.locator(`input[value="${_id}"]`).waitFor()
  const samples = page.locator('.samples code')
  for (const text of await samples.allTextContents()) assert.ok(text.includes(`/locations/${_id}`))
  await page.locator('[data-name=id]').fill("Ann's")
  for (const text of await samples.allTextContents()) assert.ok(text.includes('/locations/Ann%27s'))
  await page.locator('[data-name=id]').fill(_id)
  const body = page.getByRole('textbox', { name: 'Body' })
  await body.focus()
  await keyboard.press('ControlOrMeta+A')
  await keyboard.type('{ "name": "Roma / Lazio" }')
  await keyboard.press('Control+Enter')
  const line = page.locator('.result .line').filter({ visible: true })
  await line.getByText('200 OK', { exact: true }).waitFor()
  await line.getByText(`/locations/${_id}`).waitFor()
  assert.equal((await readRecord(app, `/locations/${_id}`)).name, 'Roma / Lazio')
})

test('a list that is not of records leaves the example of the id', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  const listed = page.waitForResponse(/\/inspector\?/)
  await page.goto('/docs/getInspectorId')
  await listed
  await page.waitForLoadState('networkidle')
  assert.notEqual(await page.getByRole('textbox', { name: 'id' }).inputValue(), 'undefined')
})

test('the chosen language of the samples is remembered', inBrowser, async (t) => {
  const { origin, visit } = await openSite(t)
  const page = await visit()
  await page.goto('/docs/getLocations')
  await page.getByRole('tab', { name: 'Python' }).click()
  await page.goto('/docs/getLocationsId')
  await page.getByRole('tabpanel').getByText(`"${origin}/locations/`).waitFor()
  await page.getByRole('tab', { name: 'Python', selected: true }).waitFor()
})

test('an operation on a record says how to create one', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/docs/getUsersId')
  await page.getByRole('link', { name: 'Create one' }).click()
  await waitForHeading(page, 'Create a user')
})

for (const javaScriptEnabled of [true, false]) {
  test(
    `an operation ${javaScriptEnabled ? 'has no defect' : 'needs no JavaScript'}`,
    inBrowser,
    async (t) => {
      const { visit } = await openSite(t)
      const page = await visit({ javaScriptEnabled })
      if (javaScriptEnabled) {
        await assertFlawless(page, ['/docs/patchUsersId', '/docs/getUsers', '/docs/postProfile'])
      }
      await page.goto('/docs/getUsersId')
      assert.equal(
        await page.getByRole('button', { name: 'Send' }).count(),
        Number(javaScriptEnabled),
      )
      if (javaScriptEnabled) return
      await page.getByText('http GET').waitFor()
      await page.locator('#docs-nav').getByText('Locations', { exact: true }).click()
      await page.getByRole('link', { name: 'Create a location POST' }).click()
      await waitForHeading(page, 'Create a location')
    },
  )
}
