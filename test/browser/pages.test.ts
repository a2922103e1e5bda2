import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFlawless } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { components, openFilledSite } from './filled-site.ts'
import { light } from './look.ts'
import { openSite } from './site.ts'

test('no other page has a defect', inBrowser, async (t) => {
  const { page, paths, exchange } = await openFilledSite(t)
  assert.ok(paths.length > 25)
  // `components.test.ts` has the others.
  const others = paths.filter((path) => path !== exchange && !components.includes(path))
  for (const path of others) await t.test(path, () => assertFlawless(page, [path], [light]))
})

test('in the list of problems each text is beside its status code', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/problems')
  for (const item of await page.locator('.problems li').all()) {
    const [code, text] = await Promise.all(
      ['.status', 'div'].map((part) => item.locator(part).boundingBox()),
    )
    assert.ok(code && text && text.x > code.x + code.width && text.y < code.y + code.height)
  }
})
