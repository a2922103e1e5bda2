import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

test('each method gets a short text that names it', async (t) => {
  const app = sharedApp()
  const cases = [
    ['POST', '/user/create', /POST/],
    ['PUT', '/user/42', /PUT.*42/],
    ['DELETE', '/user/42', /DELETE.*42/],
    ['PUT', '/user/create', /PUT/],
    ['DELETE', '/user/caf%C3%A9', /DELETE.*café/],
  ] as const
  for (const [method, url, pattern] of cases) {
    for (const path of [url, `${url}/`]) {
      await t.test(`${method} ${url} ${path}`, async () => {
        const response = await app.inject({ method, url: path })
        assert.equal(response.statusCode, 200)
        assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
        assert.match(response.body, pattern)
      })
    }
  }
})

test('a body is ignored, whatever it is', async () => {
  const app = sharedApp()
  const headers = { 'content-type': 'application/xml' }
  const response = await app.inject({ method: 'PUT', url: '/user/42', headers, payload: '<a/>' })
  assert.equal(response.statusCode, 200)
})

test('the greeting includes the path after /user', async (t) => {
  const app = sharedApp()
  const cases: [url: string, shown: string][] = [
    ['/user42', '42'],
    ['/user:42', '42'],
    ['/userann', 'ann'],
    ['/userann/', 'ann'],
    ['/usersam', 'sam'],
    ['/user%E2%82%AC', '€'],
    ['/user%3Cb%3E', '<b>'],
    ['/user42?name=x', '42'],
  ]
  for (const [url, shown] of cases) {
    await t.test(url, async () => {
      const response = await app.inject(url)
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
      assert.ok(response.body.includes(shown))
    })
  }
})

test('/user itself is not found', async (t) => {
  const app = sharedApp()
  for (const url of ['/user', '/user/', '/user?name=ann']) {
    await t.test(url, async () => {
      assert.equal((await app.inject(url)).statusCode, 404)
    })
  }
})

test('/users and paths below it never get a greeting', async (t) => {
  for (const settings of [{}, { DEMOS: 'user' }, { DEMOS: 'user,bodies' }]) {
    const app = await testApp(t, { settings })
    for (const url of '/users /users/ /users?a=1 /users.json /users.txt /users/42'.split(' ')) {
      assert.doesNotMatch((await app.inject(url)).body, /Hello/, url)
    }
  }
})

test('without the demo users, /users is not found', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'user' } })
  for (const url of ['/users', '/users/', '/users.json', '/users/42']) {
    await t.test(url, async () => {
      assert.equal((await app.inject(url)).statusCode, 404)
    })
  }
})

test('/user/create has its method and those of /user/:id', async () => {
  const app = sharedApp()
  const allow = 'POST, PUT, DELETE, OPTIONS'
  for (const [method, status] of [
    ['OPTIONS', 204],
    ['GET', 405],
  ] as const) {
    const { statusCode, headers } = await app.inject({ method, url: '/user/create' })
    assert.deepEqual([statusCode, headers.allow], [status, allow])
  }
})
