import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFile } from '../../test/support/data-app.ts'
import { projectFolder } from '../../test/support/start-vitrine.ts'
import { testApp, type OpeningTest } from '../../test/support/test-app.ts'
import { stubSchema } from '../responses/description.ts'

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8')

async function open(t: OpeningTest, stubs: string) {
  const file = await dataFile(t, stubs, 'stubs.yaml')
  return testApp(t, { settings: { DEMOS: 'mirror', RESPONSES_FILE: file } })
}

for (const path of ['docs/stubs.md', 'docs/testing-a-client.md']) {
  const blocks = [...read(path).matchAll(/```yaml\n("[^]*?)```/g)].map(([, block = '']) => block)
  for (const block of blocks) {
    test(`${path} has valid stubs: ${block.split('\n', 1).join('')}`, async (t) => {
      await open(t, block)
    })
  }
}

const row = /^\| ((?:WireMock|Mockoon|MSW|json-server|pytest-httpserver): .*?) *\| `("[^`]+)`/gm
const tools = [...read('docs/stubs.md').matchAll(row)].map(
  ([, there = '', here = '']) => [there, here.replaceAll('\\|', '|')] as const,
)

/** A request to each stub of the table, in this order, and the response: its status and its body, if it is text. */
const requests: readonly [request: string, status: number, body?: string | object][] = [
  ['GET /users/7', 200, { id: '7' }],
  ['GET /a?page=2', 200, 'second'],
  ['POST /order {"order":{"type":"tea"}}', 201],
  ['GET /c?a=1', 200, 'special'],
  ['GET /d', 503],
  ['GET /e', 200],
  ['GET /f', 200, 'abcdef'],
  ['GET /g', 0],
  ['GET /h', 0],
  ['POST /i {"count":10}', 422],
  ['GET /j', 503],
  ['GET /k', 200, 'one'],
  ['POST /l?a=1 {"name":"Ann"}', 200, ['Ann', '1', 'x']],
  ['GET /m', 200],
  ['GET /n/7', 200, { id: '7' }],
  ['GET /o', 200, 'first'],
  ['GET /p', 0],
  ['DELETE /q', 204],
  ['GET /r?a=1', 200, { a: '1' }],
  ['GET /secret/a', 401],
  ['GET /t', 200],
  ['PUT /u', 200, '1'],
  ['POST /v hello', 200, 'matched'],
  ['GET /w', 200, 'a'],
  ['POST /x hello', 200, 'HELLO'],
]
for (const [index, [request, status, body]] of requests.entries()) {
  const [there = '', here = ''] = tools[index] ?? []
  test(`docs/stubs.md: ${there} → ${here}`, async (t) => {
    const app = await open(t, here)
    const origin = await app.listen({ port: 0 })
    const [, method = '', path = '', payload] = /^(\S+) (\S+)(?: (.*))?$/.exec(request) ?? []
    const type = payload?.startsWith('{') ? 'application/json' : 'text/plain'
    const headers = { 'content-type': type, accept: 'application/json', 'x-a': 'x' }
    const response = await fetch(origin + path, { method, headers, body: payload ?? null })
      .then(async (received) => ({ status: received.status, text: await received.text() }))
      .catch(() => ({ status: 0, text: '' }))
    assert.equal(response.status, status)
    const expected = typeof body === 'object' ? JSON.stringify(body) : body
    if (expected !== undefined) assert.equal(response.text, expected)
  })
}

test('docs/stubs.md has a request for each row of the table, and an example of each member', () => {
  assert.equal(tools.length, requests.length)
  const blocks = [...read('docs/stubs.md').matchAll(/```yaml\n([^]*?)```/g)]
  const text = blocks.map(([, block]) => block).join('')
  const members = ['when', 'share', 'sequence', 'times', ...Object.keys(stubSchema.properties)]
  assert.deepEqual(
    members.filter((name) => !new RegExp(`\\b${name}:`).test(text)),
    [],
  )
})

test('docs/examples/webhooks.yaml completes the handshakes', async (t) => {
  const app = await open(t, read('docs/examples/webhooks.yaml'))
  const payload = { type: 'url_verification', challenge: 'x' }
  const slack = await app.inject({ method: 'POST', url: '/slack', payload })
  assert.deepEqual(slack.json(), { challenge: 'x' })
  const meta = await app.inject('/meta?hub.mode=subscribe&hub.challenge=x&hub.verify_token=secret')
  assert.equal(meta.body, 'x')
  const graph = await app.inject({ method: 'POST', url: '/graph?validationToken=x%20y' })
  assert.deepEqual([graph.body, graph.headers['content-type']], ['x y', 'text/plain'])
})

test('docs/testing-a-client.md has different responses for different requests', async (t) => {
  const [, block = ''] =
    /## Different responses[^]*?```yaml\n([^]*?)```/.exec(read('docs/testing-a-client.md')) ?? []
  const app = await open(t, block)
  assert.equal((await app.inject('/users/7')).json<{ name: string }>().name, 'Ann')
  assert.equal((await app.inject('/users/8')).statusCode, 404)
  const order = (quantity: number) =>
    app.inject({ method: 'POST', url: '/orders', payload: { quantity } })
  assert.equal((await order(11)).statusCode, 422)
  assert.deepEqual((await order(3)).json(), { id: 1, quantity: 3 })
})
