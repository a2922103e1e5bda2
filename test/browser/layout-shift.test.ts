import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from './chromium.ts'
import { openFilledSite } from './filled-site.ts'

const measure = `globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })`

/** The panel of a page has loaded the exchange, or there is no panel. */
const loaded = 'details.inspector .status, body:not(:has(details.inspector)) main'

test('no page moves much while it loads', inBrowser, async (t) => {
  const { page, paths } = await openFilledSite(t)
  await page.addInitScript(measure)
  const all = [...paths, '/docs/getLocations', '/docs/postLocations']
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    for (const path of all) {
      await t.test(`${path} at ${String(width)} px`, async () => {
        await page.goto(path)
        await page.locator(loaded).first().waitFor()
        const shift = await page.evaluate<number>('shift')
        assert.ok(shift <= 0.1, String(shift))
      })
    }
  }
})
