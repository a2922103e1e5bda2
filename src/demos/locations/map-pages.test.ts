import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { test } from 'node:test'
import { createRecord, openRecord } from '../../../test/support/resources.ts'
import { useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

async function open(app: FastifyInstance, url: string): Promise<string> {
  const { statusCode, body } = await app.inject(url)
  assert.equal(statusCode, 200)
  return body
}

test('a list draws its places on a map, and has no map without places', async (t) => {
  const app = sharedApp()
  await createRecord(app, '/locations', { name: 'Nowhere' })
  assert.doesNotMatch(await open(app, '/locations'), /class="map"/)
  for (const degrees of [1, 2]) {
    await createRecord(app, '/locations', { name: 'a', latitude: degrees, longitude: degrees })
  }
  for (const url of ['/locations', '/locations?per_page=5']) {
    await t.test(url, async () => {
      assert.match(await open(app, url), /2 places with coordinates/)
    })
  }
})

test('a mark of several places leads to the list of these, with the other filters', async () => {
  const app = sharedApp()
  for (const [name, latitude, longitude] of [
    ['near', 10.5, 10.1],
    ['near too', 11.25, 11.9],
    ['other', 10.6, 10.2],
    ['near but east', 11, 20.1],
    ['near but south', 9.9, 11],
  ] as const) {
    await createRecord(app, '/locations', { name, latitude, longitude })
  }
  const page = await open(app, '/locations?q=near&sort=-name&page=1')
  const marks = [...page.matchAll(/<a href="([^"]*)"><title>([^<]*)<.*?<\/a>/g)]
  const [cluster] = marks.filter(([, , title = '']) => title.includes('places'))
  assert.equal(cluster?.[2], '2 places around 10.88° N, 11° E')
  assert.match(cluster[0], /<text [^>]*>2</)
  const href = cluster[1]?.replaceAll('&amp;', '&') ?? ''
  const shown = [...(await open(app, href)).matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)]
  assert.deepEqual(
    shown.map(([, name]) => name),
    ['near too', 'near'],
  )
})

test('the page of a location draws it on a map', async (t) => {
  const { app, url } = await openRecord(t, '/locations', { name: 'a', latitude: 0, longitude: -90 })
  const { body } = await app.inject(url)
  assert.match(body, /<svg x="25\.81%" y="59\.15%"/)
  assert.doesNotMatch(body, /<title>.*<title>/s)
  assert.match(body, /<figcaption>0° N, 90° W\./)
  const { _id } = await createRecord(app, '/locations', { name: 'a' })
  assert.doesNotMatch((await app.inject(`/locations/${_id}`)).body, /class="map"/)
})
