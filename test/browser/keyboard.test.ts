import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'

/** For the page: whatever the keyboard has to reach, in the order of the page. */
const stops = `[...document.querySelectorAll(
  'a[href], button, input, select, textarea, summary, [tabindex="0"]'
)].filter((one) => one.type !== 'hidden' && one.checkVisibility())`

/** The position of the focus among the stops, and whether it is visible. */
const focus = `(() => {
  const { activeElement: one } = document
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const { top, bottom } = one.getBoundingClientRect()
  const hasRing = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  return {
    stop: ${stops}.indexOf(one),
    isSeen: hasRing && bottom > 0 && top < innerHeight,
    html: one.outerHTML.slice(0, 120),
  }
})()`

interface Focus {
  stop: number
  isSeen: boolean
  html: string
}

async function assertReachable(page: Page): Promise<void> {
  const count = await page.evaluate<number>(`${stops}.length`)
  assert.ok(count > 5)
  for (let stop = 0; stop < count; stop++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate<Focus>(focus)
    assert.deepEqual(at, { stop, isSeen: true, html: at.html })
  }
}

test('Tab reaches everything in order, and the focus is visible', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  // Without it, a page is still on its way to where the focus is.
  const page = await visit({ reducedMotion: 'reduce' })
  for (const path of ['/', '/locations/new', '/login']) {
    await page.goto(path)
    await assertReachable(page)
  }
})

test('a user can be created with the keyboard alone', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/users/new')
  await page.getByLabel('Name').focus()
  await page.keyboard.type('Ann')
  await page.keyboard.press('Tab')
  await page.keyboard.type('correct horse')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Ann' }).waitFor()
})
