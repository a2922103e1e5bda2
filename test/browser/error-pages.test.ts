import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFlawless, goBy, type Way } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { light } from './look.ts'
import { openSite } from './site.ts'

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
