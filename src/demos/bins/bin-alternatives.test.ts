import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, type TestApp } from '../../../test/support/test-app.ts'

async function createBin(app: TestApp, response: unknown) {
  const created = await app.inject({ method: 'POST', url: '/bins', payload: { response } })
  assert.equal(created.statusCode, 201, created.body)
  return new URL(created.json<{ url: string }>().url).pathname
}

const handshakes: readonly [
  what: string,
  response: unknown,
  url: string,
  payload: object,
  body: string,
][] = [
  [
    'url_verification of Slack',
    [
      { when: { 'json.type': 'url_verification' }, json: { challenge: '{{ json.challenge }}' } },
      {},
    ],
    '',
    { type: 'url_verification', challenge: 'x"y' },
    '{"challenge":"x\\"y"}',
  ],
  [
    'hub.challenge of Meta',
    { when: { 'query.hub.verify_token': 't' }, body: '{{ query.hub.challenge }}' },
    '?hub.mode=subscribe&hub.challenge=x&hub.verify_token=t',
    {},
    'x',
  ],
  [
    'validationToken of Graph',
    {
      when: { 'query.validationToken:exists': true },
      type: 'text/plain',
      body: '{{ query.validationToken }}',
    },
    '?validationToken=x%20y',
    {},
    'x y',
  ],
  ['the number and the path', { body: '{{ number }} {{ path }}' }, '/below', {}, '1 /below'],
]
for (const [what, response, url, payload, body] of handshakes) {
  test(`a bin completes ${what}`, async (t) => {
    const app = await testApp(t)
    const path = await createBin(app, response)
    const sent = await app.inject({ method: 'POST', url: path + url, payload })
    assert.deepEqual([sent.statusCode, sent.body], [200, body])
  })
}

test('a bin whose alternatives do not match responds with 404, and captures the request', async (t) => {
  const app = await testApp(t)
  const path = await createBin(app, [
    { when: { 'json.a': 1 } },
    { when: { method: 'PUT' }, status: 202 },
  ])
  assert.equal((await app.inject({ method: 'PUT', url: path })).statusCode, 202)
  const missed = await app.inject({ method: 'POST', url: path, payload: { a: 2 } })
  assert.equal(missed.statusCode, 404)
  assert.match(missed.body, /json\.a is 1 \(the request has 2\)/)
})

for (const [response, message] of [
  [{ body: '{{ a | none }}' }, /response\.body is not a valid template/],
  [{ file: 'a' }, /response\.file is not allowed/],
  [[{ when: { a: 1 } }], /response\[0\]\.when\.a is an unknown name/],
] as const) {
  test(`a bin cannot have the response ${JSON.stringify(response)}`, async (t) => {
    const app = await testApp(t)
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: '/bins',
      payload: { response },
    })
    assert.equal(statusCode, 400)
    assert.match(body, message)
  })
}

test('a hostile template of a bin gets 500, and the service lives', async (t) => {
  const app = await testApp(t)
  const path = await createBin(app, { body: '{% for i in (1..100000000) %}a{% endfor %}' })
  assert.equal((await app.inject(path)).statusCode, 500)
  assert.equal((await app.inject('/health')).statusCode, 200)
})
