import type { LightMyRequestResponse as Response } from 'fastify'
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  asForm,
  samples,
  temporaryDatabase,
  without,
  type Shown,
} from '../../test/support/resources.ts'
import { testApp, type TestApp } from '../../test/support/test-app.ts'

type Headers = Record<string, string>

const key = '"8e03978e-40d5-43dd-bc93-6894a57f9324"'
const place = { name: 'Pier' }

function post(app: TestApp, headers: Headers, payload: object = place, url = '/places') {
  const all = { accept: 'application/json', ...headers }
  return app.inject({ method: 'POST', url, headers: all, payload })
}

async function listOf(app: TestApp, url = '/places'): Promise<Shown[]> {
  return (await app.inject({ url, headers: { accept: 'application/json' } })).json<Shown[]>()
}

/** A response without the headers that differ each time. */
function toComparable({ statusCode, headers, rawPayload }: Response) {
  const { date, 'idempotency-replayed': replayed, ...others } = headers
  assert.ok(date)
  const rest = without(others, 'server-timing', 'x-request-id')
  return { statusCode, rest, rawPayload, replayed }
}

function problemOf(response: Response): string {
  return response.json<{ type: string }>().type.replace(/.*\//, '')
}

test('a repeated key gets the same response again, and nothing more is created', async (t) => {
  for (const { path, fields } of samples) {
    await t.test(path, async () => {
      const accepts = ['application/json', 'text/html', 'application/problem+json, */*;q=0.1']
      for (const accept of accepts) {
        const app = await testApp(t)
        const headers = { 'idempotency-key': key, accept }
        const first = toComparable(await post(app, headers, fields, path))
        assert.deepEqual([first.statusCode, first.replayed], [201, undefined])
        for (let count = 1; count <= 2; count += 1) {
          const again = toComparable(await post(app, headers, fields, path))
          assert.deepEqual(again, { ...first, replayed: 'true' })
        }
        assert.equal((await listOf(app, path)).length, 1)
      }
    })
  }
})

test('a response without a body is repeated without a body', async (t) => {
  const app = await testApp(t)
  const headers = { 'idempotency-key': key, prefer: 'return=minimal' }
  const first = toComparable(await post(app, headers))
  assert.equal(first.rest['preference-applied'], 'return=minimal')
  assert.deepEqual(toComparable(await post(app, headers)), { ...first, replayed: 'true' })
})

test('other keys, and requests without a key, each create a record', async (t) => {
  const app = await testApp(t)
  for (const headers of [{ 'idempotency-key': '"a"' }, { 'idempotency-key': '"A"' }, {}, {}]) {
    assert.equal((await post(app, headers)).statusCode, 201)
  }
  assert.equal((await listOf(app)).length, 4)
})

test('a key is a quoted string or a bare word, of 1 to 255 characters', async (t) => {
  const cases: [field: string, status: number][] = [
    [key, 201],
    [key.slice(1, -1), 201],
    ['"a"', 201],
    ['a', 201],
    ['42', 201],
    ['k_1:2/3+4=5', 201],
    ['"two words"', 201],
    [String.raw`"a \"b\" \\"`, 201],
    ['"a";parameter=1', 201],
    [`"${'a'.repeat(255)}"`, 201],
    ['a'.repeat(255), 201],
    [`"${'a'.repeat(256)}"`, 400],
    ['a'.repeat(256), 400],
    ['', 400],
    ['""', 400],
    ['"a', 400],
    ['a"', 400],
    ['"a" "b"', 400],
    ['"a", "b"', 400],
    ['a, b', 400],
    ['a b', 400],
    [String.raw`"a\b"`, 400],
    ['"é"', 400],
  ]
  for (const [field, status] of cases) {
    await t.test(field, async () => {
      const app = await testApp(t)
      const response = await post(app, { 'idempotency-key': field })
      assert.equal(response.statusCode, status, `${field}: ${response.body}`)
    })
  }
})

test('a key is the same with and without quotes', async (t) => {
  const app = await testApp(t)
  const first = await post(app, { 'idempotency-key': key })
  assert.equal((await post(app, { 'idempotency-key': key.slice(1, -1) })).body, first.body)
})

test('a key with a different request is rejected with 422, and nothing is created', async (t) => {
  const app = await testApp(t)
  await post(app, { 'idempotency-key': key })
  const cases: [payload: object, url: string][] = [
    [{ name: 'Jetty' }, '/places'],
    [{ ...place, note: '' }, '/places'],
    [{ ...place, unknown: 1 }, '/places'],
    [place, '/places?a=1'],
    [{ ...place, password: 'secret' }, '/people'],
  ]
  for (const [payload, url] of cases) {
    await t.test(url, async () => {
      const response = await post(app, { 'idempotency-key': key }, payload, url)
      assert.deepEqual([response.statusCode, problemOf(response)], [422, 'idempotency-key-reused'])
    })
  }
  assert.deepEqual([(await listOf(app)).length, (await listOf(app, '/people')).length], [1, 0])
})

test('of twenty requests with one key at once one creates; the others get 409', async (t) => {
  const app = await testApp(t)
  // A user takes its time, since the password is hashed.
  const user = { name: 'Ann', password: 'secret' }
  const send = () => post(app, { 'idempotency-key': key }, user, '/people')
  const responses = await Promise.all(Array.from({ length: 20 }, send))
  const waiting = responses.filter(({ statusCode }) => statusCode === 409)
  assert.equal(responses.filter(({ statusCode }) => statusCode === 201).length, 20 - waiting.length)
  assert.ok(waiting.length > 0)
  for (const response of waiting) {
    assert.equal(problemOf(response), 'idempotency-key-in-flight')
    assert.match(String(response.headers['retry-after']), /^[1-9]$/)
  }
  const { headers } = await send()
  assert.equal(headers['idempotency-replayed'], 'true')
  assert.equal((await listOf(app, '/people')).length, 1)
})

test('an error is not stored: the corrected request may have the same key', async (t) => {
  const app = await testApp(t)
  const headers = { 'idempotency-key': key }
  for (const payload of [{ latitude: 91 }, { latitude: 91 }, {}]) {
    const response = await post(app, headers, payload)
    assert.equal(problemOf(response), 'invalid-fields')
    assert.equal(response.headers['idempotency-replayed'], undefined)
  }
  const created = await post(app, headers)
  assert.equal((await post(app, headers)).body, created.body)
  assert.equal(problemOf(await post(app, headers, {})), 'idempotency-key-reused')
})

test('a form sends its key in a field, which the handler does not see', async (t) => {
  const app = await testApp(t)
  const prefer = { prefer: 'handling=strict' }
  const fields = { ...place, _idempotency_key: key }
  const { headers, payload } = asForm(fields)
  const send = [
    () =>
      app.inject({
        method: 'POST',
        url: '/places',
        headers: { ...headers, ...prefer },
        payload,
      }),
    () => post(app, prefer, fields),
    () => post(app, prefer, place, `/places?_idempotency_key=${encodeURIComponent(key)}`),
    // A header counts before a field, and a field in the content before one in the query.
    () => post(app, { ...prefer, 'idempotency-key': key }, { ...place, _idempotency_key: 'other' }),
    () => post(app, prefer, fields, '/places?_idempotency_key=other'),
  ]
  const bodies: string[] = []
  for (const one of send) {
    const response = await one()
    assert.equal(response.statusCode, 201, response.body)
    bodies.push(response.body)
    assert.equal((await one()).headers['idempotency-replayed'], 'true')
  }
  assert.ok(bodies.every((body) => body === bodies[0]))
  assert.equal((await listOf(app)).length, 1)
})

test('an invalid key in a field is rejected, and without method override the field is ordinary', async (t) => {
  const app = await testApp(t)
  for (const value of ['', { a: 'b' }, ['a', 'b'], [['a'], null]]) {
    assert.equal((await post(app, {}, { ...place, _idempotency_key: value })).statusCode, 400)
  }
  const literal = await testApp(t, { settings: { METHOD_OVERRIDE: 'off' } })
  const fields = { ...place, _idempotency_key: 'a' }
  for (let count = 1; count <= 2; count += 1) {
    assert.equal((await post(literal, {}, fields)).headers['idempotency-replayed'], undefined)
  }
})

test('keys of different visitors are separate', async (t) => {
  const app = await testApp(t)
  const visitors = ['a', 'b'].map((letter) => ({ cookie: `session=${letter.repeat(43)}` }))
  const bodies = new Set<string>()
  for (const visitor of [{}, ...visitors]) {
    const first = await post(app, { 'idempotency-key': key, ...visitor })
    assert.equal(first.headers['idempotency-replayed'], undefined)
    assert.equal((await post(app, { 'idempotency-key': key, ...visitor })).body, first.body)
    bodies.add(first.body)
  }
  assert.equal(bodies.size, 3)
})

test('routes without idempotency ignore the key', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'users,sessions,bodies' } })
  const user = { name: 'Ann', password: 'secret' }
  await post(app, {}, user, '/users')
  const login = { username: user.name, password: user.password }
  for (const field of [key, '""']) {
    await t.test(field, async () => {
      const headers = { 'idempotency-key': field }
      const cookies = [
        await post(app, headers, login, '/login'),
        await post(app, headers, login, '/login'),
      ].map((response) => String(response.headers['set-cookie']))
      assert.equal(new Set(cookies).size, 2)
      assert.equal((await post(app, headers, { a: 'b' }, '/users/post')).statusCode, 200)
    })
  }
})

test('after a restart, and in another process on the same database, the response is the same', async (t) => {
  const settings = { DATABASE_URL: await temporaryDatabase(t) }
  const headers = { 'idempotency-key': key }
  const first = toComparable(await post(await testApp(t, { settings }), headers))
  const other = await testApp(t, { settings })
  assert.deepEqual(toComparable(await post(other, headers)), { ...first, replayed: 'true' })
})

test('of twenty requests on two processes at once one creates', async (t: TestContext) => {
  const settings = { DATABASE_URL: await temporaryDatabase(t) }
  const apps = [await testApp(t, { settings }), await testApp(t, { settings })]
  const sent = Array.from({ length: 10 }, () =>
    apps.map((app) => post(app, { 'idempotency-key': key })),
  )
  const statuses = (await Promise.all(sent.flat())).map(({ statusCode }) => statusCode)
  assert.ok(statuses.every((status) => status === 201 || status === 409))
  assert.equal((await listOf(apps[0] ?? assert.fail())).length, 1)
})
