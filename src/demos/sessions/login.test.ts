import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asForm, browserAccept, createRecord } from '../../../test/support/resources.ts'
import { ann, cookieOf, isLoggedIn, logIn, readSession } from '../../../test/support/sign-in.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const url = '/login'
const right = { username: ann.name, password: ann.password }
const wrong = { username: ann.name, password: 'wrong horse' }

const sharedApp = useApp({}, async (t) => {
  const app = await testApp(t)
  await createRecord(app, '/users', ann)
  return app
})

test('GET /login is a page with a form of two inputs, one of type password', async () => {
  const app = sharedApp()
  const response = await app.inject(url)
  assert.equal(response.statusCode, 200)
  assert.match(String(response.headers['content-type']), /^text\/html/)
  assert.match(response.body, /<form method="post" action="\/login"/)
  assert.match(response.body, /<input type="text"[^>]* name="username"/)
  assert.match(response.body, /<input type="password"[^>]* name="password"/)
  assert.equal(response.headers['set-cookie'], undefined)
  const { statusCode } = await app.inject({ url, headers: { accept: 'application/json' } })
  assert.equal(statusCode, 406)
})

test('a form sent from a page logs in and gets 303 to /session', async () => {
  const app = sharedApp()
  const response = await app.inject({ method: 'POST', url, ...asForm(right) })
  assert.equal(response.statusCode, 303)
  assert.equal(response.headers.location, '/session')
  assert.equal(await isLoggedIn(app, cookieOf(response.headers) ?? ''), true)
})

test('a form or JSON from another client logs in and gets the envelope', async () => {
  const app = sharedApp()
  const { payload, headers } = asForm(right)
  const requests = [
    { payload: right },
    { payload: right, headers: { accept: 'application/json' } },
    { payload: JSON.stringify(right) },
    { payload, headers: { 'content-type': headers['content-type'] } },
    { payload, headers: { ...headers, accept: 'application/json' } },
  ]
  for (const request of requests) {
    const response = await app.inject({ method: 'POST', url, ...request })
    assert.equal(response.statusCode, 200)
    assert.match(String(response.headers['content-type']), /^application\/json/)
    const { data, status } = response.json<{
      data: unknown
      status: { code: number; msg: string }
    }>()
    assert.deepEqual(data, { redirect: '/session' })
    assert.equal(status.code, 0)
    assert.equal(typeof status.msg, 'string')
    assert.equal(await isLoggedIn(app, cookieOf(response.headers) ?? ''), true)
  }
})

test('wrong credentials get 401 as a problem, with a challenge that opens no dialog', async (t) => {
  const app = sharedApp()
  const cases = [
    wrong,
    { ...wrong, password: '' },
    { ...wrong, password: 'Correct horse' },
    { ...right, username: 'ann' },
    { ...right, username: 'Ann ' },
    { ...right, username: 'nobody' },
    { ...right, username: '' },
    { ...right, username: 'A%' },
    { ...right, username: 'Ann\u0000' },
    { username: '__proto__', password: 'toString' },
  ]
  for (const payload of cases) {
    await t.test(JSON.stringify(payload), async () => {
      const response = await app.inject({ method: 'POST', url, payload })
      assert.equal(response.statusCode, 401)
      assert.match(String(response.headers['www-authenticate']), /^Cookie\b/)
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
      assert.equal(response.json<{ status: number }>().status, 401)
      assert.equal(response.headers['set-cookie'], undefined)
    })
  }
})

test('wrong credentials from a page get the form again, with a message and the name but no password', async () => {
  const app = sharedApp()
  const fields = { username: '"><b>Ann', password: 'wrong "horse' }
  const response = await app.inject({ method: 'POST', url, ...asForm(fields) })
  assert.equal(response.statusCode, 401)
  assert.match(String(response.headers['www-authenticate']), /^Cookie\b/)
  assert.match(String(response.headers['content-type']), /^text\/html/)
  assert.match(response.body, /role="alert"/)
  assert.match(response.body, /value="&quot;&gt;&lt;b&gt;Ann"/)
  assert.doesNotMatch(response.body, /wrong|horse|<b>/)
  assert.equal(response.headers['set-cookie'], undefined)
})

test('a wrong password and an unknown name get the same response', async () => {
  const app = sharedApp()
  const problems: object[] = []
  for (const payload of [wrong, { ...wrong, username: 'nobody' }]) {
    const response = await app.inject({ method: 'POST', url, payload })
    problems.push({ ...response.json<object>(), instance: '' })
  }
  assert.deepEqual(problems[0], problems[1])
})

test('a missing field gets 422 that names it, as a problem or in the form', async () => {
  const app = sharedApp()
  const cases: [payload: object | string, missing: string[]][] = [
    [{}, ['username', 'password']],
    [{ username: 'Ann' }, ['password']],
    [{ password: 'secret horse' }, ['username']],
    [{ username: 'Ann', password: 5 }, ['password']],
    [{ username: ['Ann'], password: 'x' }, ['username']],
    [{ username: null, password: { a: 'b' } }, ['username', 'password']],
    [[], ['username', 'password']],
    ['null', ['username', 'password']],
    ['5', ['username', 'password']],
    ['"Ann"', ['username', 'password']],
    ['true', ['username', 'password']],
  ]
  for (const [payload, missing] of cases) {
    const headers = { 'content-type': 'application/json' }
    const response = await app.inject({ method: 'POST', url, headers, payload })
    const title = JSON.stringify(payload)
    assert.equal(response.statusCode, 422, title)
    assert.match(String(response.headers['content-type']), /^application\/problem\+json/, title)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      missing.map((field) => `#/${field}`),
      title,
    )
  }
  assert.equal((await app.inject({ method: 'POST', url })).statusCode, 422)
  const page = await app.inject({ method: 'POST', url, ...asForm({ username: 'Ann' }) })
  assert.equal(page.statusCode, 422)
  assert.match(page.body, /password is required/)
  assert.match(page.body, /value="Ann"/)
  const other = await app.inject({ method: 'POST', url, ...asForm({ password: 'secret horse' }) })
  assert.equal(other.statusCode, 422)
  assert.doesNotMatch(other.body, /secret horse/)
})

test('a body that is neither a form nor JSON gets 415', async (t) => {
  const app = sharedApp()
  for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x']) {
    await t.test(type, async () => {
      const headers = { 'content-type': type }
      const response = await app.inject({ method: 'POST', url, headers, payload: 'username=Ann' })
      assert.equal(response.statusCode, 415)
      assert.match(String(response.headers['accept-post']), /application\/json/)
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
    })
  }
})

test('a login from another site is blocked', async () => {
  const app = sharedApp()
  const foreign = [{ origin: 'http://elsewhere.example' }, { 'sec-fetch-site': 'cross-site' }]
  for (const headers of foreign) {
    const response = await app.inject({ method: 'POST', url, headers, payload: right })
    assert.equal(response.statusCode, 403)
    assert.equal(response.headers['set-cookie'], undefined)
  }
})

test('every login renews the session id and ends the previous session', async () => {
  const app = sharedApp()
  const first = await logIn(app)
  const second = await logIn(app, ann, { cookie: first })
  assert.notEqual(second, first)
  assert.equal(await isLoggedIn(app, first), false)
  assert.equal(await isLoggedIn(app, second), true)
  const bob = await createRecord(app, '/users', { name: 'Bob', password: 'b' })
  const third = await logIn(app, { name: 'Bob', password: 'b' }, { cookie: second })
  assert.equal(await isLoggedIn(app, second), false)
  assert.equal((await readSession(app, third)).user?._id, bob._id)
})

test('a session id chosen by the client is never used', async () => {
  const app = sharedApp()
  const chosen = `session=${'A'.repeat(43)}`
  assert.notEqual(await logIn(app, ann, { cookie: chosen }), chosen)
  assert.equal(await isLoggedIn(app, chosen), false)
})

test('a failed login does not end the current session', async () => {
  const app = sharedApp()
  const cookie = await logIn(app)
  for (const payload of [wrong, {}]) {
    const response = await app.inject({ method: 'POST', url, headers: { cookie }, payload })
    assert.match(String(response.statusCode), /^4/)
    assert.equal(response.headers['set-cookie'], undefined)
    assert.equal(await isLoggedIn(app, cookie), true)
  }
})

test('among several users with one name, the password decides who logs in', async (t) => {
  const app = sharedApp()
  const passwords = ['first', 'second', 'third', 'first']
  const ids: string[] = []
  for (const password of passwords) {
    ids.push((await createRecord(app, '/users', { name: 'Zoe', password }))._id)
  }
  const expected = { second: ids[1], third: ids[2], first: ids[3] }
  for (const [password, id] of Object.entries(expected)) {
    await t.test(password, async () => {
      const cookie = await logIn(app, { name: 'Zoe', password })
      assert.equal((await readSession(app, cookie)).user?._id, id)
    })
  }
})

test('the newest sixteen users with one name can log in, and the next older one cannot', async () => {
  const app = sharedApp()
  const passwords = Array.from({ length: 17 }, (_, index) => `password ${String(index)}`)
  for (const password of passwords) await createRecord(app, '/users', { name: 'Max', password })
  for (const [index, status] of [
    [0, 401],
    [1, 200],
    [16, 200],
  ] as const) {
    const payload = { username: 'Max', password: passwords[index] }
    const { statusCode } = await app.inject({ method: 'POST', url, payload })
    assert.equal(statusCode, status, String(index))
  }
})

test('of many logins at once some get 503 with Retry-After and the others log in', async (t) => {
  const app = sharedApp()
  // For a name that does not exist a password is checked too: otherwise none of these would wait.
  for (const [payload, status] of [
    [right, 200],
    [{ ...wrong, username: 'nobody' }, 401],
  ] as const) {
    await t.test(String(status), async () => {
      const send = async () => app.inject({ method: 'POST', url, payload })
      const responses = await Promise.all(Array.from({ length: 100 }, send))
      const rejected = responses.filter(({ statusCode }) => statusCode === 503)
      const others = responses.filter(({ statusCode }) => statusCode !== 503)
      assert.ok(rejected.length > 0)
      assert.ok(others.length >= 34, String(others.length))
      for (const { statusCode } of others) assert.equal(statusCode, status)
      for (const { headers, body } of rejected) {
        assert.match(body, /32 passwords/)
        assert.match(String(headers['retry-after']), /^\d+$/)
        assert.equal(headers['set-cookie'], undefined)
      }
    })
  }
})

test('every response of /login has Cache-Control: no-store and Vary', async (t) => {
  const app = sharedApp()
  const headers = { accept: browserAccept }
  const responses = [
    await app.inject(url),
    await app.inject({ method: 'POST', url, payload: right }),
    await app.inject({ method: 'POST', url, ...asForm(right) }),
    await app.inject({ method: 'POST', url, payload: wrong }),
    await app.inject({ method: 'POST', url, ...asForm(wrong) }),
    await app.inject({ method: 'POST', url, payload: {} }),
    await app.inject({ method: 'POST', url, headers }),
  ]
  for (const { headers, statusCode } of responses) {
    await t.test(String(statusCode), () => {
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(String(headers.vary), /Accept\b(?!-)/)
    })
  }
})
