import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demos } from '../src/demos/catalogue.ts'
import { testApp, type TestApp } from './test-app.ts'

const names = demos.map(({ name }) => name)
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The demos that have routes in this app. */
function findOpen(app: TestApp): string[] {
  const tags = new Set(app.declaredRoutes.map(({ tag }) => tag))
  return names.filter((name) => tags.has(name))
}

for (const settings of [{}, { DEMOS: 'all' }, { DEMOS: '' }, { DEMOS: names.join(',') }]) {
  test(`all demos are open with ${JSON.stringify(settings)}`, async (t) => {
    assert.deepEqual(findOpen(await testApp(t, { settings })), names)
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

for (const mix of [
  'bodies,mirror',
  'mirror,bodies',
  ' api , mirror ',
  'users,bodies',
  'user,static',
]) {
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

for (const DEMOS of ['user,attic', 'all,attic', 'user,all']) {
  test(`DEMOS=${DEMOS} is an error`, async (t) => {
    const message = new RegExp(`^DEMOS must be all, none, or some of .*; it is "${DEMOS}"$`)
    await assert.rejects(testApp(t, { settings: { DEMOS } }), { message })
  })
}

test('bodies alone: /users and /users/:id return plain text for any id', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'bodies' } })
  const cases: [url: string, shown: string][] = [
    ['/users', 'users'],
    ['/users/', 'users'],
    ['/users/42', '42'],
    ['/users/42/', '42'],
    ['/users/new', 'new'],
    ['/users/post', 'post'],
    ['/users/caf%C3%A9', 'café'],
  ]
  for (const [url, shown] of cases) {
    await t.test(url, async () => {
      const response = await app.inject({ url, headers: { accept: 'text/html' } })
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
      assert.ok(response.body.includes(shown))
      const head = await app.inject({ method: 'HEAD', url })
      assert.equal(head.statusCode, 200)
      assert.equal(head.headers['content-length'], response.headers['content-length'])
      assert.equal(head.body, '')
    })
  }
})

test('api alone: any other path, with any method, gets JSON that names /api/json', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'api' } })
  for (const url of ['/nowhere', '/a/b/c', '/api', '/api/nowhere', '/users', '/user', '/a.html']) {
    for (const method of methods) {
      await t.test(`${method} ${url}`, async () => {
        const response = await app.inject({ method, url, headers: { accept: 'text/html' } })
        assert.equal(response.statusCode, 404)
        assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
        const object = response.json<{ error: string }>()
        assert.deepEqual(Object.keys(object), ['error'])
        assert.match(object.error, /\/api\/json/)
      })
    }
  }
})

for (const mix of ['bodies,mirror', 'api,mirror', 'api,static']) {
  test(`DEMOS=${mix}: an unknown path outside /api gets an error in text`, async (t) => {
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

test('with all demos, /users is the resource, in text too', async (t) => {
  const app = await testApp(t)
  assert.match(String((await app.inject('/users')).headers['content-type']), /^text\/html/)
  const payload = { name: 'ann', password: 'glass' }
  const created = await app.inject({ method: 'POST', url: '/users', payload })
  assert.equal(created.statusCode, 201)
  const url = String(created.headers.location)
  const text = await app.inject({ url, headers: { accept: 'text/plain' } })
  assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8')
  assert.ok(text.body.includes(url.slice('/users/'.length)))
  const list = await app.inject({ url: '/users', headers: { accept: 'text/plain' } })
  assert.equal(list.headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal((await app.inject('/users/nobody')).statusCode, 404)
})

test('with all demos, an unknown path is named in an error of the preferred media type', async (t) => {
  const app = await testApp(t)
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
