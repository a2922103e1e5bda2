import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, type TestApp } from './test-app.ts'

interface Witness {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  payload?: string
  /** The answer when the room is mounted, which no other room gives. */
  status: number
  body: RegExp
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const witnesses: Readonly<Record<string, Witness>> = {
  users: { method: 'GET', url: '/users/new', status: 200, body: /<form\b/ },
  locations: { method: 'GET', url: '/locations/new', status: 200, body: /<form\b/ },
  api: { method: 'GET', url: '/api/json', status: 200, body: /"content"/ },
  topic: { method: 'GET', url: '/topic?a=glass', status: 200, body: /glass/ },
  toc: {
    method: 'POST',
    url: '/toc/aaa',
    headers: form,
    payload: 'a=glass',
    status: 200,
    body: /^glass$/,
  },
  bodies: { method: 'POST', url: '/users/post', status: 200, body: /^\{\}$/ },
  user: { method: 'GET', url: '/user42', status: 200, body: /Hello/ },
  status: { method: 'GET', url: '/status/418', status: 418, body: /418/ },
  static: { method: 'GET', url: '/topic.html', status: 200, body: /<form\b/ },
}
const names = Object.keys(witnesses)
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

async function findMounted(app: TestApp): Promise<string[]> {
  const mounted: string[] = []
  for (const [name, { status, body, ...request }] of Object.entries(witnesses)) {
    const answer = await app.inject(request)
    if (answer.statusCode === status && body.test(answer.body)) mounted.push(name)
  }
  return mounted
}

test('all rooms are mounted by default', async (t) => {
  for (const settings of [{}, { DEMOS: 'all' }, { DEMOS: '' }, { DEMOS: names.join(',') }]) {
    assert.deepEqual(await findMounted(await testApp(t, { settings })), names)
  }
})

for (const name of names) {
  test(`DEMOS=${name} mounts ${name} and nothing else`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: name } })
    assert.deepEqual(await findMounted(app), [name])
    assert.equal((await app.inject('/')).statusCode, 200)
    assert.equal((await app.inject('/health')).statusCode, 200)
    assert.equal((await app.inject('/assets/icon.svg')).statusCode, 200)
  })
}

test('a mix mounts the rooms that it names, in any order', async (t) => {
  for (const mix of [
    'bodies,topic',
    'topic,bodies',
    ' api , toc ',
    'users,bodies',
    'user,static',
  ]) {
    const app = await testApp(t, { settings: { DEMOS: mix } })
    const expected = names.filter((name) => mix.split(/[ ,]+/).includes(name))
    assert.deepEqual(await findMounted(app), expected, mix)
  }
})

test('a room that there is not is refused', async (t) => {
  await assert.rejects(testApp(t, { settings: { DEMOS: 'topic,attic' } }), /DEMOS must .*attic/)
})

test('bodies alone: /users and /users/:id are plain text for any id', async (t) => {
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
    const answer = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(answer.statusCode, 200, url)
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8', url)
    assert.ok(answer.body.includes(shown), url)
    const head = await app.inject({ method: 'HEAD', url })
    assert.equal(head.statusCode, 200, url)
    assert.equal(head.headers['content-length'], answer.headers['content-length'], url)
    assert.equal(head.body, '', url)
  }
})

test('topic alone: any other path, by any method, is plain text that names it', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'topic' } })
  const paths = ['/nowhere', '/a/b/c', '/topics', '/topic/more', '/users', '/api/json', '/a.html']
  for (const path of [...paths, '/nowhere/']) {
    for (const method of methods) {
      const answer = await app.inject({ method, url: `${path}?a=glass` })
      assert.equal(answer.statusCode, 200, `${method} ${path}`)
      assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8', path)
      assert.ok(answer.body.includes(path.replace(/\/$/, '')), `${method} ${path}`)
    }
    const head = await app.inject({ method: 'HEAD', url: path })
    assert.equal(head.statusCode, 200, path)
    assert.equal(head.body, '', path)
  }
})

test('topic alone: a path below the assets that has no file is named like any other', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'topic' } })
  for (const method of methods) {
    const answer = await app.inject({ method, url: '/assets/nowhere.css' })
    assert.equal(answer.statusCode, 200, method)
    assert.match(answer.body, /\/assets\/nowhere\.css/, method)
  }
})

test('topic alone: /topic itself is as ever', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'topic' } })
  for (const url of ['/topic?a=glass', '/topic/?a=glass']) {
    assert.equal((await app.inject(url)).body, 'The topic is glass\n', url)
    const post = await app.inject({ method: 'POST', url })
    assert.equal(post.statusCode, 405, url)
    assert.equal(post.headers.allow, 'GET, HEAD, OPTIONS', url)
    const options = await app.inject({ method: 'OPTIONS', url })
    assert.equal(options.statusCode, 204, url)
    assert.equal(options.headers.allow, 'GET, HEAD, OPTIONS', url)
  }
})

test('api alone: any other path, by any method, is JSON that asks for /api/json', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'api' } })
  for (const url of ['/nowhere', '/a/b/c', '/api', '/api/nowhere', '/users', '/topic', '/a.html']) {
    for (const method of methods) {
      const answer = await app.inject({ method, url, headers: { accept: 'text/html' } })
      assert.equal(answer.statusCode, 404, `${method} ${url}`)
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', url)
      const object = answer.json<{ error: string }>()
      assert.deepEqual(Object.keys(object), ['error'], url)
      assert.match(object.error, /\/api\/json/, url)
    }
  }
})

test('in company, topic and api leave the paths of others alone', async (t) => {
  for (const mix of ['bodies,topic', 'api,topic', 'api,static']) {
    const app = await testApp(t, { settings: { DEMOS: mix } })
    for (const method of methods) {
      const answer = await app.inject({ method, url: '/nowhere' })
      assert.equal(answer.statusCode, 404, `${mix} ${method}`)
      assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8', mix)
      assert.match(answer.body, /\/nowhere/, mix)
    }
  }
})

test('bodies and topic together: each answers as it does without the users', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'bodies,topic' } })
  assert.match((await app.inject('/users/42')).body, /42/)
  assert.equal((await app.inject('/users/42/edit')).statusCode, 404)
  assert.equal((await app.inject('/topic?a=glass')).body, 'The topic is glass\n')
})

test('with all rooms, /users is the resource, in text too', async (t) => {
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

test('with all rooms, a path that nobody answers is named in the form asked for', async (t) => {
  const app = await testApp(t)
  for (const [accept, type] of [
    ['*/*', 'text/plain; charset=utf-8'],
    ['text/html', 'text/html; charset=utf-8'],
    ['application/json', 'application/problem+json; charset=utf-8'],
  ] as const) {
    const answer = await app.inject({ url: '/nowhere/at/all', headers: { accept } })
    assert.equal(answer.statusCode, 404, accept)
    assert.equal(answer.headers['content-type'], type, accept)
    assert.match(answer.body, /\/nowhere\/at\/all/, accept)
  }
})
