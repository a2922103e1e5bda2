import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as sendRequest, type IncomingMessage } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { createBinAt } from '../support/bins.ts'
import { spawnVitrine, startVitrine } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'

const head = 'HTTP/1.1 200 OK\r\n'
const broken: [path: string, line: RegExp, respond: (socket: Socket) => void][] = [
  [
    '/reset',
    /ECONNRESET/,
    (socket) => {
      socket.write(`${head}Content-Length: 9\r\n\r\n`, () => socket.resetAndDestroy())
    },
  ],
  ['/short', /aborted/, (socket) => socket.end(`${head}Content-Length: 9\r\n\r\nab`)],
  [
    '/chunk',
    /Parse Error/,
    (socket) => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nx\r\n`),
  ],
  [
    '/upgrade',
    /the response begins another protocol/,
    (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  ],
  ['/101', /another protocol/, (socket) => socket.write('HTTP/1.1 101 OK\r\n\r\n')],
  ['/api/../admin', /not sent: its path has the segment \.\./, (socket) => socket.destroy()],
  ['/.%2E%2fadmin', /not sent: its path has the segment \.\./, (socket) => socket.destroy()],
  ['/crash', /hang up.*To send it again: --only [\da-f-]{36}\n/, (socket) => socket.destroy()],
  ['/a?/../b', /200 OK/, (socket) => socket.end(`${head}Content-Length: 0\r\n\r\n`)],
]
test('a response that cannot be received is a line, and later requests are sent', async (t) => {
  const { origin } = await startVitrine(t, { LOG_LEVEL: 'silent' })
  const { id, secret } = await createBinAt(origin)
  const targets: string[] = []
  const local = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (head) => {
      const [, target = ''] = String(head).split(' ')
      targets.push(target)
      broken.find(([path]) => target === `/local${path}`)?.[2](socket)
    })
  }).listen(0, '127.0.0.1')
  t.after(() => local.close())
  await once(local, 'listening')
  const url = `http://127.0.0.1:${String((local.address() as AddressInfo).port)}/local`
  const flags = ['--secret', secret]
  const forward = spawnVitrine({}, ['forward', `${origin}/b/${id}`, url, ...flags])
  t.after(() => forward.process.kill('SIGKILL'))
  await until(() => forward.output().includes('Forwarding'))
  for (const [path, line] of broken) {
    await t.test(path, async () => {
      // The path of a URL would be normalized.
      const sent = sendRequest(origin, { path: `/b/${id}${path}` }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      const begin = `GET ${path} → `
      await until(() => {
        assert.equal(forward.process.exitCode, null, forward.output())
        return forward.output().includes(begin)
      })
      assert.match(forward.output().split(begin)[1] ?? '', line)
    })
  }
  assert.equal(targets.filter((target) => target === '/local/crash').length, 4)
  const waits =
    /^Waiting to send GET \/crash again\. The connection broke \(.*\) in attempt ([123]) of 4\.$/gm
  assert.deepEqual(
    Array.from(forward.output().matchAll(waits), ([, attempt]) => attempt),
    ['1', '2', '3'],
  )
  assert.ok(!targets.some((target) => target.includes('admin')))
})

const failing: [title: string, toArgs: (bin: string) => string[], message: RegExp][] = [
  ['a wrong secret', (bin) => [bin, 'http://127.0.0.1:1', '--secret', 'x'], /not that of this bin/],
  [
    'a service that cannot be reached',
    () => ['http://127.0.0.1:1/b/x', 'http://a', '--secret', 'x'],
    /cannot forward: (?!fetch failed)/,
  ],
  ['no secret', (bin) => [bin, 'http://127.0.0.1:1'], /--secret/],
  ['no local URL', (bin) => [bin], /forward requires BIN URL/],
  ['another word', (bin) => [bin, 'http://127.0.0.1:1', 'x'], /too many arguments/],
  ['a local URL that is none', (bin) => [bin, 'localhost', '--secret', 'x'], /http: or https:/],
  ['a URL without a bin', (bin) => [bin.slice(0, -30), 'http://a', '--secret', 'x'], /\/bins\/ID/],
  ['an unknown bin', (bin) => [`${bin}x`, 'http://a', '--secret', 'x'], /There is no bin/],
]
test('what cannot be forwarded ends the command with one line', async (t) => {
  const { origin } = await startVitrine(t, { LOG_LEVEL: 'silent' })
  const { id } = await createBinAt(origin)
  for (const [title, toArgs, message] of failing) {
    await t.test(title, async () => {
      const forward = spawnVitrine({}, ['forward', ...toArgs(`${origin}/b/${id}`)])
      const [status] = (await once(forward.process, 'close')) as [number]
      assert.equal(status, 2)
      assert.match(forward.output(), message)
      assert.match(forward.output(), /^vitrine: .*\n$/)
    })
  }
})
