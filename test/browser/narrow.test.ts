import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from './chromium.ts'
import { openFilledSite } from './filled-site.ts'
import { findOverflow } from './look.ts'

test('no page is wider than 320 px', inBrowser, async (t) => {
  const { page, paths } = await openFilledSite(t)
  await page.setViewportSize({ width: 320, height: 640 })
  for (const path of paths) {
    await t.test(path, async () => {
      await page.goto(path)
      assert.deepEqual(await findOverflow(page), [])
    })
  }
})
