import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enter } from '../sign-in.ts'
import { upload } from '../uploads.ts'
import { assertFlawless, goBy, type Way } from './assert-flawless.ts'
import { inBrowser } from './chromium.ts'
import { openSite, type Site } from './site.ts'

/** Users and locations `r1`, `r2` …, the locations all over the world. */
async function fill({ app }: Site, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const name = `Record ${String(number)}`
    const latitude = ((number * 37) % 160) - 80
    const location = { name, latitude, longitude: ((number * 71) % 360) - 180, note: 'by the sea' }
    const id = `r${String(number)}`
    await app.inject({ method: 'PUT', url: `/locations/${id}`, payload: location })
    const user = { name, password: 'correct horse' }
    // Hashing a password takes its time, by design, and these are only to be looked at.
    if (number <= 25) await app.inject({ method: 'PUT', url: `/users/${id}`, payload: user })
  }
}

test('the static pages have no defect', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  await assertFlawless(await visit(), [
    ...['/', '/docs', '/problems', '/problems/precondition-failed', '/inspector'],
    ...['/topic.html', '/toc.html', '/profile.html'],
  ])
})

test('the pages of an empty service have no defect', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  await assertFlawless(await visit(), [
    ...['/users', '/users/new', '/locations', '/locations/new', '/uploads', '/login'],
  ])
})

test('the pages of a few records have no defect', inBrowser, async (t) => {
  const site = await openSite(t)
  await fill(site, 2)
  await upload(site.app, 'content')
  const { _id, cookie } = await enter(site.app)
  const [name = '', value = ''] = cookie.split('=')
  const page = await site.visit()
  await page.context().addCookies([{ name, value, url: site.origin }])
  await assertFlawless(page, [
    ...['/users', `/users/${_id}`, `/users/${_id}/edit`, '/session', '/uploads'],
    ...['/locations', '/locations/r1', '/locations/r1/edit'],
  ])
})

test('the pages of many records have no defect', inBrowser, async (t) => {
  const site = await openSite(t)
  await fill(site, 60)
  await assertFlawless(await site.visit(), [
    ...['/users', '/users?page=2&per_page=10', '/users?q=2', '/users?q=nobody'],
    ...['/locations', '/locations?page=2', '/locations?q=2&sort=-name'],
  ])
})

test('error pages have no defect', inBrowser, async (t) => {
  const site = await openSite(t, { MAX_BODY_BYTES: '2000' })
  await fill(site, 1)
  const page = await site.visit({ errorStatuses: [401, 403, 404, 405, 412, 413, 422] })
  const ways: [number, Way][] = [
    [401, ['/login', { username: 'nobody', password: 'nothing' }]],
    [403, '/users/r1?_method=DELETE'],
    [404, '/nowhere'],
    [404, '/users/nobody'],
    [405, ['/docs', {}]],
    [412, ['/users/r1/', { _method: 'PATCH', _if_match: '"stale"', name: 'Mine' }]],
    [412, ['/users/r1', { _method: 'DELETE', _if_match: '"stale"' }]],
    [413, ['/users/', { name: 'x'.repeat(3000) }]],
    [422, ['/users/', { name: '' }]],
    [422, ['/locations/', { name: '', latitude: '91', note: 'typed' }]],
  ]
  for (const [status, way] of ways) assert.equal(await goBy(page, way), status, JSON.stringify(way))
  await assertFlawless(
    page,
    ways.map(([, way]) => way),
  )
})
