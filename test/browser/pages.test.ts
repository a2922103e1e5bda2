import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFlawless } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { components, openFilledSite } from './filled-site.ts'
import { light } from './look.ts'

test('no other page has a defect', inBrowser, async (t) => {
  const { page, paths, exchange } = await openFilledSite(t)
  assert.ok(paths.length > 25)
  // `components.test.ts` has the others.
  const others = paths.filter((path) => path !== exchange && !components.includes(path))
  for (const path of others) await t.test(path, () => assertFlawless(page, [path], [light]))
})
