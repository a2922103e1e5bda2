import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFlawless, goBy, type Way } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { openFilledSite } from './filled-site.ts'
import { light } from './look.ts'
import { openSite } from './site.ts'

/** Pages that together have every component: also tested when dark and without scripts. */
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

test('no page has a defect', inBrowser, async (t) => {
  const { page, paths, exchange } = await openFilledSite(t)
  assert.ok(paths.length > 25)
  const sample = [...components, exchange]
  assert.deepEqual(
    sample.filter((path) => !paths.includes(path)),
    [],
  )
  for (const path of paths) {
    await t.test(path, () =>
      assertFlawless(page, [path], sample.includes(path) ? undefined : [light]),
    )
  }
})

test('no page of an empty service has a defect', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  await assertFlawless(await visit(), ['/users', '/locations', '/uploads'])
})

const errors: readonly [number, Way][] = [
  [401, ['/login', { username: 'nobody', password: 'nothing' }]],
  [403, '/locations/one?_method=DELETE'],
  [404, '/nowhere'],
  [404, '/users/nobody'],
  [405, ['/docs', {}]],
  [412, ['/locations/one/', { _method: 'PATCH', _if_match: '"stale"', name: 'Mine' }]],
  [412, ['/locations/one', { _method: 'DELETE', _if_match: '"stale"' }]],
  [413, ['/users/', { name: 'x'.repeat(3000) }]],
  [422, ['/users/', { name: '' }]],
  [422, ['/locations/', { name: '', latitude: '91', note: 'typed' }]],
]

test('no error page has a defect', inBrowser, async (t) => {
  const { app, visit } = await openSite(t, { MAX_BODY_BYTES: '2000' })
  await app.inject({ method: 'PUT', url: '/locations/one', payload: { name: 'Pier' } })
  const page = await visit({ errorStatuses: errors.map(([status]) => status) })
  for (const [status, way] of errors) {
    await t.test(`${String(status)} ${JSON.stringify(way).slice(0, 60)}`, async () => {
      assert.equal(await goBy(page, way), status)
      // A page of problems without a form is the same for every status code.
      await assertFlawless(page, [way], [412, 422].includes(status) ? undefined : [light])
    })
  }
})
