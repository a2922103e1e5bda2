import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { createRecord } from '../support/resources.ts'
import { ann } from '../support/sign-in.ts'
import { listUploads } from '../support/uploads.ts'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'
import { waitForHeading } from './steps.ts'

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
  await waitForHeading(page, 'Ann')
})

/** Presses Tab until the focus is there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const focused = target.and(page.locator(':focus'))
  for (let presses = 0; (await focused.count()) === 0; presses++) {
    assert.ok(presses < 80, `Tab does not reach ${String(target)}`)
    await page.keyboard.press('Tab')
  }
}

test('a user can be edited and deleted with the keyboard alone', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  await app.inject({ method: 'PUT', url: '/users/ann', payload: ann })
  const page = await visit()
  await page.goto('/users/ann')
  await tabTo(page, page.getByRole('link', { name: 'Edit' }))
  await page.keyboard.press('Enter')
  await page.getByLabel('Name').waitFor()
  await tabTo(page, page.getByLabel('Name'))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('Anna')
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Anna')
  await tabTo(page, page.getByText('Delete', { exact: true }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'Yes, delete it' }))
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Users')
  assert.equal((await app.inject('/users/ann')).statusCode, 404)
})

test('a user can log in and out with the keyboard alone', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  await createRecord(app, '/users', ann)
  const page = await visit()
  await page.goto('/login')
  await tabTo(page, page.getByLabel('Name'))
  await page.keyboard.type(ann.name)
  await tabTo(page, page.getByLabel('Password'))
  await page.keyboard.type(ann.password)
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Session')
  await tabTo(page, page.getByRole('main').getByRole('button', { name: 'Log out' }))
  await page.keyboard.press('Enter')
  await waitForHeading(page, 'Log in')
})

test('a file can be uploaded with the keyboard alone', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  const page = await visit()
  // Before the page is opened: Chromium learns only with a delay that the test chooses the file.
  const opened = page.waitForEvent('filechooser')
  await page.goto('/profile.html')
  await tabTo(page, page.getByLabel('File'))
  await page.keyboard.press('Space')
  const buffer = Buffer.from('glass')
  await (await opened).setFiles({ name: 'glass.txt', mimeType: 'text/plain', buffer })
  await tabTo(page, page.getByRole('button', { name: 'Upload' }))
  await page.keyboard.press('Enter')
  await page.getByText('Uploaded glass.txt.').waitFor()
  assert.equal((await listUploads(app)).length, 1)
})
