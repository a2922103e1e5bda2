import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertDocumented } from '../../../test/support/openapi/documented.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()
const lonelyApp = useApp({ settings: { DEMOS: 'topic' } })

test('the value of a is returned as text', async () => {
  const app = sharedApp()
  const received = await app.inject('/topic?a=glass&sex=female&vehicle=bike&vehicle=car')
  assert.equal(received.statusCode, 200)
  assert.equal(received.headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(received.body, /glass/)
  assert.doesNotMatch(received.body, /female|bike|car/)
})

test('a list or an object in a is shown as text', async (t) => {
  const app = sharedApp()
  const cases: [query: string, shown: string][] = [
    ['a=one&a=two', 'one, two'],
    ['a[]=one&a[]=two', 'one, two'],
    ['a[b]=c', '{"b":"c"}'],
    ['a[b][c]=d', '{"b":{"c":"d"}}'],
    ['a[b]=1&a[b]=2', '{"b":["1","2"]}'],
    ['a=one&a[b]=c', 'one, {"b":"c"}'],
    ['a=caf%C3%A9+%F0%9F%8C%8D', 'café 🌍'],
    ['a=100%', '100%'],
    ['a=%3Cscript%3E%26%22', '<script>&"'],
  ]
  for (const [query, shown] of cases) {
    await t.test(query, async () => {
      const received = await app.inject(`/topic?${query}`)
      assert.equal(received.statusCode, 200)
      assert.equal(received.body, `The topic is ${shown}\n`)
    })
  }
})

test('a list within a list is shown as JSON', async () => {
  const app = sharedApp()
  const received = await app.inject('/topic?a[0][]=x&a[0][]=y&a[1]=z')
  assert.equal(received.body, 'The topic is ["x","y"], z\n')
})

test('markup in a is returned as text that no browser renders', async () => {
  const app = sharedApp()
  const received = await app.inject('/topic?a=%3Cscript%3Ealert(1)%3C/script%3E')
  assert.equal(received.headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal(received.headers['x-content-type-options'], 'nosniff')
})

test('an absent or empty a is an empty topic', async (t) => {
  const app = sharedApp()
  for (const url of ['/topic', '/topic?', '/topic?a', '/topic?a=', '/topic?b=glass']) {
    await t.test(url, async () => {
      const received = await app.inject(url)
      assert.equal(received.statusCode, 200)
      assert.equal(received.body, 'The topic is \n')
    })
  }
})

test('a query string over a limit gets 400, and one at the limit does not', async (t) => {
  const app = sharedApp()
  const many = (count: number, name: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `${name(index)}=1`).join('&')
  const numbered = (index: number) => `k${String(index)}`
  const cases: [query: string, status: number][] = [
    [many(200, numbered), 200],
    [many(201, numbered), 400],
    [many(100, () => 'a[]'), 200],
    [many(101, () => 'a[]'), 400],
    [many(101, () => 'a'), 400],
    ['a[1][2][3][4][5]=x', 200],
    ['a[1][2][3][4][5][6]=x', 400],
    ['a=%ff', 400],
    ['%ff=a', 400],
  ]
  for (const [query, status] of cases) {
    await t.test(query.slice(0, 40), async () => {
      assert.equal((await app.inject(`/topic?${query}`)).statusCode, status)
    })
  }
})

test('no key changes a prototype', async (t) => {
  const app = sharedApp()
  for (const key of ['__proto__[a]', 'constructor[prototype][a]', 'a[__proto__][a]']) {
    await t.test(key, async () => {
      assert.doesNotMatch((await app.inject(`/topic?${key}=reached`)).body, /reached/)
      assert.equal(({} as { a?: unknown }).a, undefined)
    })
  }
})

test('a path below /topic is not found, and the response names it', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'topic,mirror' } })
  const received = await app.inject('/topic/more')
  assert.equal(received.statusCode, 404)
  assert.match(received.body, /\/topic\/more/)
})

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

test('topic alone: any other path, with any method, gets plain text that names the path', async (t) => {
  const app = lonelyApp()
  const paths = ['/nowhere', '/a/b/c', '/topics', '/topic/more', '/users', '/api/json', '/a.html']
  for (const path of [...paths, '/nowhere/']) {
    await t.test(path, async () => {
      for (const method of methods) {
        const response = await app.inject({ method, url: `${path}?a=glass` })
        assert.equal(response.statusCode, 200, `${method} ${path}`)
        assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
        assert.ok(response.body.includes(path.replace(/\/$/, '')), `${method} ${path}`)
      }
      const head = await app.inject({ method: 'HEAD', url: path })
      assert.equal(head.statusCode, 200)
      assert.equal(head.body, '')
    })
  }
})

test('topic alone: an unknown path under /assets gets the same error', async (t) => {
  const app = lonelyApp()
  for (const method of methods) {
    await t.test(method, async () => {
      const response = await app.inject({ method, url: '/assets/nowhere.css' })
      assert.equal(response.statusCode, 200)
      assert.match(response.body, /\/assets\/nowhere\.css/)
    })
  }
})

test('topic alone: /topic itself does not change', async (t) => {
  const app = lonelyApp()
  for (const url of ['/topic?a=glass', '/topic/?a=glass']) {
    await t.test(url, async () => {
      assert.equal((await app.inject(url)).body, 'The topic is glass\n')
      const post = await app.inject({ method: 'POST', url })
      assert.equal(post.statusCode, 405)
      assert.equal(post.headers.allow, 'GET, HEAD, OPTIONS')
      const options = await app.inject({ method: 'OPTIONS', url })
      assert.equal(options.statusCode, 204)
      assert.equal(options.headers.allow, 'GET, HEAD, OPTIONS')
    })
  }
})

test('bodies and topic together respond as each does alone', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'bodies,topic' } })
  assert.match((await app.inject('/users/42')).body, /42/)
  assert.equal((await app.inject('/users/42/edit')).statusCode, 404)
  assert.equal((await app.inject('/nowhere')).statusCode, 404)
  assert.equal((await app.inject('/topic?a=glass')).body, 'The topic is glass\n')
})

test('the responses are as documented', async () => {
  const app = sharedApp()
  await assertDocumented(app, { url: '/topic?a=1&a=2' }, 200)
})

for (const method of ['QUERY', 'TRACE', 'PUT'] as const) {
  test(`alone, ${method} of a path of the service without it gets 405, also without a type`, async () => {
    const app = lonelyApp()
    for (const url of ['/inspector', '/inspector/key', '/inspector/a.har', '/health', '/docs']) {
      const { statusCode, headers } = await app.inject({ method: method as 'PUT', url })
      assert.equal(statusCode, 405, url)
      assert.match(String(headers.allow), /OPTIONS$/, url)
    }
  })
}

test('alone with the test API: any other path gets the same text, and the records can be reset', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'topic', TEST_API: 'on' } })
  assert.match((await app.inject('/anything')).body, /anything/)
  const reset = await app.inject({ method: 'POST', url: '/_vitrine/reset' })
  assert.equal(reset.statusCode, 204)
})
