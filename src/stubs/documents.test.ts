import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFile } from '../../test/support/data-app.ts'
import { projectFolder } from '../../test/support/start-vitrine.ts'
import { testApp, type OpeningTest } from '../../test/support/test-app.ts'

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
