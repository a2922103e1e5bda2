import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demos } from '../src/demos/catalogue.ts'
import { catalogueApp, testApp, type TestApp } from './support/test-app.ts'
import { testDemos } from './support/test-demos.ts'

const names = [...demos, ...testDemos].map(({ name }) => name)
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The demos that have routes in this app. */
function findOpen(app: TestApp): string[] {
  const tags = new Set(app.declaredRoutes.map(({ tag }) => tag))
  return names.filter((name) => tags.has(name))
}

for (const settings of [{}, { DEMOS: 'all' }, { DEMOS: '' }, { DEMOS: names.join(',') }]) {
  test(`all demos are open with ${JSON.stringify(settings)}`, async (t) => {
    assert.deepEqual(findOpen(await catalogueApp(t, { settings })), names)
  })
}

for (const name of names) {
  test(`DEMOS=${name} opens only this demo`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: name } })
    assert.deepEqual(findOpen(app), [name])
    for (const url of ['/', '/health', '/assets/icon.svg']) {
      await t.test(url, async () => {
        assert.equal((await app.inject(url)).statusCode, 200)
      })
    }
  })
}

test('DEMOS=none opens no demo, and the pages of the service', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'none' } })
  assert.deepEqual(findOpen(app), [])
  for (const url of ['/', '/docs', '/learn', '/health', '/openapi.json', '/inspector']) {
    const headers = { accept: 'text/html' }
    assert.equal((await app.inject({ url, headers })).statusCode, 200, url)
  }
})

for (const mix of ['people,mirror', 'mirror,people', ' places , mirror ', 'people,places']) {
  test(`DEMOS=${mix} opens these demos, in any order`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: mix } })
    const named = mix.split(/[ ,]+/)
    assert.deepEqual(
      findOpen(app),
      names.filter((name) => named.includes(name)),
    )
    assert.equal((await app.inject('/mirror')).statusCode === 200, named.includes('mirror'))
  })
}

test('DEMOS=-mirror,-places opens all other demos', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: '-mirror,-places' } })
  assert.deepEqual(
    findOpen(app),
    names.filter((name) => !['mirror', 'places'].includes(name)),
  )
})

for (const DEMOS of ['mirror,attic', 'all,attic', 'mirror,all', '-attic', 'people,-mirror']) {
  test(`DEMOS=${DEMOS} is an error`, async (t) => {
    const message = new RegExp(
      `^DEMOS must be all, none, all but some \\(-uploads\\), or some of .*; it is "${DEMOS}"$`,
    )
    await assert.rejects(testApp(t, { settings: { DEMOS } }), { message })
  })
}

for (const mix of ['people,mirror', 'mirror']) {
  test(`DEMOS=${mix}: an unknown path gets an error in text`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: mix } })
    for (const method of methods) {
      await t.test(method, async () => {
        const response = await app.inject({ method, url: '/nowhere' })
        assert.equal(response.statusCode, 404)
        assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
        assert.match(response.body, /\/nowhere/)
      })
    }
  })
}

test('with all demos, an unknown path is named in an error of the preferred media type', async (t) => {
  const app = await catalogueApp(t)
  for (const [accept, type] of [
    ['*/*', 'text/plain; charset=utf-8'],
    ['text/html', 'text/html; charset=utf-8'],
    ['application/json', 'application/problem+json; charset=utf-8'],
  ] as const) {
    await t.test(accept, async () => {
      const response = await app.inject({ url: '/nowhere/at/all', headers: { accept } })
      assert.equal(response.statusCode, 404)
      assert.equal(response.headers['content-type'], type)
      assert.match(response.body, /\/nowhere\/at\/all/)
    })
  }
})
