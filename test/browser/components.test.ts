import { test } from 'node:test'
import { assertFlawless } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { openFilledSite } from './filled-site.ts'
import { openSite } from './site.ts'

/** Pages that together have every component. */
const components = [
  ...[
    '/',
    '/demos/status',
    '/docs',
    '/responses',
    '/learn/concurrent-edits',
    '/session',
    '/uploads',
  ],
  ...['/profile.html', '/problems/precondition-failed', '/users/new'],
  ...['/locations/r1', '/locations?page=2&per_page=10'],
]

test('no component has a defect: light, dark and without scripts', inBrowser, async (t) => {
  const { page, exchange } = await openFilledSite(t)
  for (const path of [exchange, ...components])
    await t.test(path, () => assertFlawless(page, [path]))
})

test('no page of an empty service has a defect', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  await assertFlawless(await visit(), ['/users', '/locations', '/uploads'])
})
