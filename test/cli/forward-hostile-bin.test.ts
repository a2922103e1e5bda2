import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { spawnVitrine } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'

/** Returns the URL of a bin on a server that is not Vitrine. */
async function serveBin(t: TestContext, respond: RequestListener): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/b/x`
}

test('a bin whose lines have no end fills no memory', async (t) => {
  let isSending = false
  const endless = (response: ServerResponse) => {
    isSending = true
    const chunk = Buffer.alloc(65_536, 'x')
    const write = () => {
      while (response.write(chunk));
    }
    response.on('drain', write)
    write()
  }
  const bin = await serveBin(t, ({ url }, response) => {
    if (url?.includes('/events') === true) endless(response)
    else response.end('')
  })
  const NODE_OPTIONS = '--max-old-space-size=100'
  const flags = ['forward', bin, 'http://a', '--secret', 'x']
  const forward = spawnVitrine({ NODE_OPTIONS }, flags)
  t.after(() => forward.process.kill('SIGKILL'))
  assert.deepEqual(await once(forward.process, 'close'), [2, null])
  assert.ok(isSending)
  assert.match(forward.output(), /\nvitrine: cannot forward: The bin sends too long a line\.\n$/)
})

for (const contents of ['[{}]', '[{"id":"x"}]', '{"id":1}', 'null', '<p>\n</p>']) {
  test(`a service that responds with ${JSON.stringify(contents)} ends the command`, async (t) => {
    const bin = await serveBin(t, (_, response) => response.end(contents))
    const forward = spawnVitrine({}, ['forward', bin, 'http://a', '--secret', 'x'])
    assert.deepEqual(await once(forward.process, 'close'), [2, null])
    assert.equal(forward.output(), 'vitrine: cannot forward: The response is not that of a bin.\n')
  })
}

const escape = '\x1b]0;title\x07'
const hostile: [title: string, list: object, status: number][] = [
  ['a method', [{ method: `GET${escape}` }], 200],
  ['a problem', { detail: escape }, 404],
]
for (const [title, contents, status] of hostile) {
  test(`control characters in ${title} are not printed`, async (t) => {
    const request = {
      id: 'x',
      receivedAt: '2026-11-22T08:21:07.509Z',
      target: '/',
      path: '/',
      httpVersion: '1.1',
      origin: '',
      client: '',
      requestFields: [],
      ms: 0,
      url: 'http://a/',
    }
    const bin = await serveBin(t, ({ url }, response) => {
      if (url?.endsWith('/events') === true) response.write('id: 1\ndata: {}\n\n')
      else if (url?.includes('sort=') === true) response.end('[]')
      else {
        const list = Array.isArray(contents)
          ? contents.map((one: object) => ({ ...request, ...one }))
          : contents
        response.writeHead(status).end(JSON.stringify(list))
      }
    })
    const forward = spawnVitrine({}, ['forward', bin, 'http://127.0.0.1:1', '--secret', 'x'])
    t.after(() => forward.process.kill('SIGKILL'))
    await until(() => forward.output().includes('0;title'))
    await until(() => forward.output().endsWith('\n'))
    assert.match(forward.output(), /^[ -~→\n]*$/)
  })
}
