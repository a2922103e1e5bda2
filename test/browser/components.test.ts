import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFlawless } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { components, openFilledSite } from './filled-site.ts'
import { openSite } from './site.ts'

test('no component has a defect: light, dark and without scripts', inBrowser, async (t) => {
  const { page, paths, exchange } = await openFilledSite(t)
  const sample = [exchange, ...components]
  assert.deepEqual(
    sample.filter((path) => !paths.includes(path)),
    [],
  )
  for (const path of sample) await t.test(path, () => assertFlawless(page, [path]))
})

test('no page of an empty service has a defect', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  await assertFlawless(await visit(), ['/users', '/locations', '/uploads'])
})
