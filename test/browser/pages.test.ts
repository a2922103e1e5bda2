import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFlawless } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { openFilledSite } from './filled-site.ts'
import { light } from './look.ts'

test('no page has a defect', inBrowser, async (t) => {
  const { page, paths } = await openFilledSite(t)
  assert.ok(paths.length > 25)
  for (const path of paths) await t.test(path, () => assertFlawless(page, [path], [light]))
})
