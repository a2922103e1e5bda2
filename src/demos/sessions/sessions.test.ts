import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { asForm, browserAccept, temporaryDatabase } from '../../../test/support/resources.ts'
import {
  ann,
  cookieOf,
  enter,
  isLoggedIn,
  logIn,
  readSession,
} from '../../../test/support/sign-in.ts'
import { startVitrine, temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const url = '/session'
const page = { accept: browserAccept }

test('the session cookie has at least 128 bits and every protective attribute', async () => {
  const app = sharedApp()
  await enter(app)
  const payload = { username: ann.name, password: ann.password }
  const { headers } = await app.inject({ method: 'POST', url: '/login', payload })
  const [pair = '', ...attributes] = String(headers['set-cookie']).split('; ')
  assert.match(pair, /^session=[\w-]{22,}$/)
  assert.deepEqual(attributes.toSorted(), ['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Lax'])
})

test('a request that needs no session gets no cookie, on any route', async () => {
  const app = sharedApp()
  const demos = '/ /health /users /users/new /locations /mirror/query?a=b /uploads'.split(' ')
  const more = ['/login', '/session', '/api/json', '/mirror/status/302', '/user42', '/topic.html']
  for (const path of [...demos, ...more, '/nowhere', '/logout', '/users/nobody']) {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'] as const) {
      for (const headers of [{}, page]) {
        const response = await app.inject({ method, url: path, headers })
        assert.equal(response.headers['set-cookie'], undefined, `${method} ${path}`)
      }
    }
  }
})

test('GET /session shows who is logged in, since when and until when', async () => {
  const app = sharedApp()
  const { _id, cookie } = await enter(app)
  const { createdAt = '', expiresAt = '', ...rest } = await readSession(app, cookie)
  assert.deepEqual(rest, { authenticated: true, user: { _id, name: 'Ann' } })
  for (const time of [createdAt, expiresAt]) assert.equal(new Date(time).toISOString(), time)
  assert.ok(createdAt < expiresAt)
  const response = await app.inject({ url, headers: { ...page, cookie } })
  assert.equal(response.statusCode, 200)
  assert.match(String(response.headers['content-type']), /^text\/html/)
  for (const text of ['Ann', `/users/${_id}`, createdAt]) assert.ok(response.body.includes(text))
  assert.match(response.body, /<form method="post" action="\/logout">/)
})

test('GET /session without a session redirects pages to /login, and returns JSON to other clients', async () => {
  const app = sharedApp()
  assert.deepEqual(await readSession(app), { authenticated: false })
  for (const headers of [page, {}]) {
    const response = await app.inject({ url, headers })
    assert.equal(response.statusCode, 302)
    assert.equal(response.headers.location, '/login')
  }
})

test('every response of /session has Cache-Control: no-store and Vary: Cookie', async (t) => {
  const app = sharedApp()
  const { cookie } = await enter(app)
  const cases: [method: 'GET' | 'HEAD' | 'POST' | 'DELETE', path: string][] = [
    ['GET', url],
    ['HEAD', url],
    ['POST', '/logout'],
    ['GET', url],
    ['DELETE', url],
  ]
  for (const [method, path] of cases) {
    for (const accept of ['application/json', browserAccept]) {
      await t.test(`${method} ${path} ${accept}`, async () => {
        const response = await app.inject({ method, url: path, headers: { accept, cookie } })
        assert.equal(response.headers['cache-control'], 'no-store', `${method} ${path}`)
        const vary = String(response.headers.vary).split(', ').toSorted()
        assert.deepEqual(
          vary,
          ['Accept', 'Accept-Encoding', 'Cookie', 'Origin', 'X-Sandbox'],
          `${method} ${path}`,
        )
      })
    }
  }
})

test('the database stores only the hash of the session id', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'vitrine.db')}` }
  const app = await testApp(t, { settings })
  const { _id, cookie } = await enter(app)
  assert.equal(await isLoggedIn(app, cookie), true)
  const names = await readdir(folder)
  const bytes = Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))))
  assert.ok(bytes.includes('~sessions') && bytes.includes(_id))
  const id = cookie.slice('session='.length)
  assert.ok(!bytes.includes(id))
  assert.ok(!bytes.includes(Buffer.from(id, 'base64url').toString('hex')))
  assert.ok(!bytes.includes(Buffer.from(id, 'base64url')))
})

const logouts: [title: string, request: object][] = [
  ['POST /logout', { method: 'POST', url: '/logout' }],
  ['DELETE /session', { method: 'DELETE', url }],
  [
    'a form with _method=DELETE on /session',
    { method: 'POST', url, payload: asForm({ _method: 'DELETE' }).payload },
  ],
]
for (const [title, request] of logouts) {
  const { 'content-type': type } = asForm({}).headers
  const content = title.startsWith('a form') ? { 'content-type': type } : {}

  test(`${title} ends the session on the server and removes the cookie`, async (t) => {
    const app = sharedApp()
    await enter(app)
    for (const accept of ['*/*', 'application/json', browserAccept]) {
      await t.test(accept, async () => {
        const cookie = await logIn(app)
        const other = await logIn(app)
        const headers = { ...content, accept, cookie }
        const response = await app.inject({ ...request, headers })
        if (accept === browserAccept) {
          assert.equal(response.statusCode, 303)
          assert.equal(response.headers.location, '/login')
        } else {
          assert.equal(response.statusCode, 200)
          const { data, status } = response.json<{ data: object; status: { code: number } }>()
          assert.equal(status.code, 0)
          assert.deepEqual(data, { redirect: '/login' })
        }
        const field = String(response.headers['set-cookie'])
        assert.match(field, /^session=; /)
        assert.match(field, /Max-Age=0/)
        for (const attribute of ['HttpOnly', 'Path=/', 'SameSite=Lax']) {
          assert.ok(field.includes(attribute), attribute)
        }
        assert.equal(await isLoggedIn(app, cookie), false)
        assert.equal(await isLoggedIn(app, other), true)
      })
    }
  })

  test(`${title} without a session gets the same response, without a cookie`, async () => {
    const app = sharedApp()
    const response = await app.inject({ ...request, headers: content })
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['set-cookie'], undefined)
  })
}

test('a logout from another site is blocked', async () => {
  const app = sharedApp()
  const { cookie } = await enter(app)
  const headers = { cookie, 'sec-fetch-site': 'cross-site' }
  for (const [, request] of logouts.slice(0, 2)) {
    assert.equal((await app.inject({ ...request, headers })).statusCode, 403)
  }
  assert.equal(await isLoggedIn(app, cookie), true)
})

test('forged, huge, repeated and malformed cookies are ignored without an error', async (t) => {
  const app = sharedApp()
  const { cookie } = await enter(app)
  const id = cookie.slice('session='.length)
  const junk = Array.from({ length: 500 }, (_, index) => `c${String(index)}=${String(index)}`)
  const cases = {
    forged: `session=${'A'.repeat(43)}`,
    'in another letter case': `session=${swapCase(id)}`,
    'cut short': cookie.slice(0, -1),
    'too long': `${cookie}A`,
    'under another name': `Session=${id}; __Host-session=${id}; sessions=${id}`,
    huge: `session=${'A'.repeat(12_000)}`,
    doubled: `session=${'A'.repeat(43)}; session=${'B'.repeat(43)}`,
    empty: 'session=',
    'without a value': 'session',
    nothing: '',
    'a percent-encoding that cannot be read': 'session=%E0%A4%A',
    SQL: `session=' OR 1=1 --`,
    'a prototype': '__proto__=session; constructor=x; session=__proto__',
    '500 of them': junk.join('; '),
    'separators alone': ';;;===,,,   ;',
  }
  for (const [title, forged] of Object.entries(cases)) {
    await t.test(title, async () => {
      assert.deepEqual(await readSession(app, forged), { authenticated: false })
      for (const method of ['GET', 'DELETE'] as const) {
        const response = await app.inject({ method, url, headers: { ...page, cookie: forged } })
        assert.match(String(response.statusCode), /^30[23]$/)
        const given = cookieOf(response.headers)
        assert.ok(given === undefined || given === 'session=')
      }
    })
  }
  assert.equal(await isLoggedIn(app, `${junk.slice(0, 99).join('; ')}; ${cookie}`), true)
})

function swapCase(id: string): string {
  const swapped = id.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  return swapped === id ? `A${id.slice(1)}` : swapped
}

async function getSession(origin: string, cookie: string): Promise<unknown> {
  const response = await fetch(`${origin}/session`, {
    headers: { accept: 'application/json', cookie },
  })
  return ((await response.json()) as { authenticated: unknown }).authenticated
}

test('sessions survive a restart, and so does a logout', async (t: TestContext) => {
  const settings = { DATABASE_URL: await temporaryDatabase(t) }
  const first = await startVitrine(t, settings)
  const post = async (path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', cookie }
    return fetch(first.origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  assert.equal((await post('/users', ann)).status, 201)
  const cookies: string[] = []
  for (let login = 0; login < 2; login += 1) {
    const response = await post('/login', { username: ann.name, password: ann.password })
    cookies.push(response.headers.getSetCookie()[0]?.split(';')[0] ?? '')
  }
  const [kept = '', ended = ''] = cookies
  await post('/logout', {}, ended)
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  const second = await startVitrine(t, settings)
  assert.equal(await getSession(second.origin, kept), true)
  assert.equal(await getSession(second.origin, ended), false)
})
