import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { failedStart } from '../support/failed-start.ts'
import { settingsIn, temporaryFolder } from '../support/start-vitrine.ts'
import { read, start } from './start-data-file.ts'

async function openServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

test('a URL is fetched once, with its redirects', async (t) => {
  let count = 0
  const url = await openServer(t, (request, response) => {
    if (request.url === '/db') return response.writeHead(302, { location: '/data.yaml' }).end()
    count += 1
    return response.end('posts: [{id: 1, title: One}]')
  })
  const settings = settingsIn(await temporaryFolder(t))
  for (let starts = 0; starts < 2; starts += 1) {
    const { origin, stop } = await start(t, settings, `${url}/data.yaml`)
    assert.deepEqual(await read(`${origin}/posts`), [{ id: 1, title: 'One' }])
    await stop()
  }
  assert.equal(count, 1)
})

const failures: Readonly<Record<string, [listener: RequestListener, message: RegExp]>> = {
  'an error': [(_, response) => response.writeHead(404).end(), /cannot be fetched: .* 404$/m],
  'the end of the connection': [
    (_, response) => response.destroy(),
    /cannot be fetched: other side closed$/m,
  ],
  'a loop of redirects': [
    (_, response) => response.writeHead(302, { location: '/' }).end(),
    /redirects more than 5 times/,
  ],
  'a redirect to a file': [
    (_, response) => response.writeHead(302, { location: 'file:///etc/hostname' }).end(),
    /redirects to another scheme/,
  ],
  'more than 64 MiB': [
    (_, response) => {
      const chunk = Buffer.alloc(1024 ** 2, ' ')
      const send = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', send)
      send()
    },
    /it is larger than 64 MiB/,
  ],
}

for (const [what, [listener, message]] of Object.entries(failures)) {
  test(`a URL that responds with ${what} stops the start`, async (t) => {
    const url = await openServer(t, listener)
    const settings = settingsIn(await temporaryFolder(t))
    const { status, output } = await failedStart(t, settings, [`${url}/db.json`])
    assert.equal(status, 2)
    assert.match(output, message)
  })
}

test('the credentials of a URL are sent to its host only, and not printed', async (t) => {
  const seen: unknown[] = []
  const other = await openServer(t, ({ headers }, response) => {
    seen.push(headers.authorization)
    response.end(Uint8Array.of(0xff))
  })
  const url = await openServer(t, ({ headers }, response) => {
    seen.push(headers.authorization)
    return response.writeHead(302, { location: `${other}/db.json` }).end()
  })
  const DATA_FILE = url.replace('//', '//ann:glass@')
  const { lines } = await failedStart(t, { DATA_FILE })
  assert.deepEqual(seen, [`Basic ${Buffer.from('ann:glass').toString('base64')}`, undefined])
  assert.doesNotMatch(lines.join(), /glass/)
})
