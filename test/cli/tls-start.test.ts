import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { failedStart } from '../support/failed-start.ts'
import { spawnVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { curl, makeCertificate } from '../support/tls-client.ts'
import {
  sendRaw,
  hasNosniff,
  openSocket,
  startWatched,
  toGet,
  toRequest,
} from '../support/watched-vitrine.ts'

test('malformed data and plain HTTP on the TLS port do no harm', async (t) => {
  const { origin, assertSound } = await startWatched(t, await makeCertificate(t))
  const messages = [
    toGet('/'),
    '\0'.repeat(1000),
    '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
    'PRI * HTTP/2.0',
  ]
  for (const message of messages) {
    await t.test(message, async () => {
      const { statuses } = await sendRaw(origin, message, { endsHalf: true })
      assert.ok(statuses.every((status) => status === 400))
    })
  }
  assert.equal((await curl(`${origin}/health`)).status, 200)
  await assertSound()
})

test('a late handshake ends its connection without a response', async (t) => {
  const settings = { ...(await makeCertificate(t)), HEADERS_SECONDS: '1' }
  const { origin, assertSound } = await startWatched(t, settings)
  for (const beginning of ['', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03']) {
    await t.test(beginning, async () => {
      const { text, isClosed } = await sendRaw(origin, beginning)
      assert.deepEqual([text, isClosed], ['', true])
    })
  }
  assert.equal((await curl(`${origin}/health`)).status, 200)
  await assertSound()
})

/** The service over HTTPS, with the address that redirects to it. */
async function startRedirecting(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const settings = {
    ...(await makeCertificate(t)),
    REDIRECT_HTTP_PORT: '0',
    PORT: '0',
    ALLOWED_HOSTS: '*',
    ...more,
  }
  const folder = await temporaryFolder(t)
  const { process: child, output } = spawnVitrine({
    ...settings,
    DATABASE_URL: 'sqlite::memory:',
    FILES_URL: `file:${folder}`,
  })
  t.after(() => child.kill('SIGKILL'))
  while (!output().includes('Vitrine is listening on')) {
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')])
    assert.equal(child.exitCode, null, output())
  }
  const port = /HTTP on port (\d+) is redirected/.exec(output())?.[1] ?? ''
  const secure = /listening on (\S+)/.exec(output())?.[1] ?? ''
  return { plain: `http://127.0.0.1:${port}`, secure }
}

test('plain HTTP is redirected with its path and query, and an invalid Host rejected', async (t) => {
  const { plain, secure } = await startRedirecting(t)
  const target = '/mirror/query?a=%C3%A9&a=%22%3Cb%3E'
  for (const method of ['GET', 'POST', 'DELETE']) {
    await t.test(method, async () => {
      const { status, head } = await curl('-X', method, `${plain}${target}`)
      assert.equal(status, 308)
      assert.ok(head.toLowerCase().includes(`location: ${(secure + target).toLowerCase()}`), head)
      assert.doesNotMatch(head, /^strict-transport-security/im)
    })
  }
  for (const name of ['', 'a b', 'a@b', 'a/b', 'x:port', '[::1']) {
    await t.test(name, async () => {
      const message = toRequest('GET / HTTP/1.1', [`Host: ${name}`, 'Connection: close'])
      assert.deepEqual([name, (await sendRaw(plain, message)).statuses], [name, [400]])
    })
  }
  assert.deepEqual((await sendRaw(plain, toGet('/', 'Host: y'))).statuses, [400])
  assert.deepEqual((await sendRaw(plain, toGet('*'))).statuses, [400])
  assert.equal((await curl(`${secure}/health`)).status, 200)
})

test('a connection is closed after a redirected request with Upgrade', async (t) => {
  const { plain } = await startRedirecting(t)
  const upgrade = toRequest('GET / HTTP/1.1', ['Host: x', 'Connection: Upgrade', 'Upgrade: h2c'])
  const { statuses, isClosed } = await sendRaw(plain, upgrade + toGet('/'))
  assert.deepEqual([statuses, isClosed], [[308], true])
})

test('plain HTTP is redirected only for the hosts of ALLOWED_HOSTS', async (t) => {
  const { plain, secure } = await startRedirecting(t, { ALLOWED_HOSTS: 'localhost,a.example' })
  const { port } = new URL(secure)
  const to = (host: string) => `https://${host}:${port}/mirror/query?a=1`
  const rows = [
    ['/mirror/query?a=1', 'a.example', 308, to('a.example')],
    ['http://a.example/mirror/query?a=1', 'localhost', 308, to('a.example')],
    ['/mirror/query?a=1', 'attacker.example', 421, ''],
    ['http://attacker.example/mirror/query?a=1', 'localhost', 421, ''],
    ['https://a.example/mirror/query?a=1', 'a.example', 421, ''],
    ['/mirror/query?a=1#part', 'a.example', 400, ''],
    ['http://user@a.example/', 'a.example', 400, ''],
  ] as const
  for (const [target, host, status, location] of rows) {
    await t.test(`${target} ${host}`, async () => {
      const fields = [`Host: ${host}`, 'Connection: close']
      const response = await sendRaw(plain, toRequest(`GET ${target} HTTP/1.1`, fields))
      assert.deepEqual([target, host, response.statuses], [target, host, [status]])
      assert.equal(/^location: (.*)\r$/m.exec(response.text)?.[1] ?? '', location)
    })
  }
})

test('the redirect from plain HTTP has the same limits as everything else', async (t) => {
  const { plain } = await startRedirecting(t, { HEADERS_SECONDS: '1', REQUEST_SECONDS: '2' })
  const rows: [message: string, status: number][] = [
    [toGet(`/${'x'.repeat(9000)}`), 414],
    [toGet('/', `X: ${'x'.repeat(20_000)}`), 431],
    [toRequest('CONNECT x:443 HTTP/1.1', ['Host: x:443']), 501],
    [toGet('/', 'Expect: more'), 417],
    [toRequest('GET / HTTP/2.0', ['Host: x', 'Connection: close']), 505],
    ['GET / HTTP/1.1\r\nX: ', 408],
    [toRequest('POST / HTTP/1.1', ['Host: x', 'Content-Length: 10']), 308],
  ]
  await Promise.all(
    rows.map(async ([message, status]) => {
      const response = await sendRaw(plain, message)
      assert.deepEqual([response.statuses, response.isClosed], [[status], true], response.text)
      assert.ok(hasNosniff(response), response.text)
    }),
  )
  const long = await sendRaw(plain, toGet(`/${'x'.repeat(9000)}`))
  assert.match(long.text, /^content-type: text\/plain; charset=utf-8\r$/im)
  assert.ok(
    long.text.endsWith('\r\n\r\nThe URL is longer than 8,192 bytes (MAX_URL_BYTES).\n'),
    long.text,
  )
})

test('connections over MAX_CONNECTIONS to the redirect are dropped', async (t) => {
  const { plain } = await startRedirecting(t, { MAX_CONNECTIONS: '1' })
  const held = openSocket(plain)
  t.after(() => held.destroy())
  held.write(toRequest('GET / HTTP/1.1', ['Host: x']))
  await once(held, 'data')
  const over = await sendRaw(plain, toGet('/'))
  assert.deepEqual([over.text, over.isClosed], ['', true])
})

test('invalid TLS settings stop the start with a line for each', async (t) => {
  const { TLS_CERT, TLS_KEY } = await makeCertificate(t)
  const other = await makeCertificate(t)
  const folder = await temporaryFolder(t)
  const junk = join(folder, 'junk.pem')
  await writeFile(junk, 'not a certificate')
  const rows: [settings: Record<string, string>, lines: number][] = [
    [{ TLS_CERT }, 1],
    [{ TLS_KEY }, 1],
    [{ TLS_CERT: '/nowhere.pem', TLS_KEY: '/nowhere.key' }, 2],
    [{ TLS_CERT: folder, TLS_KEY }, 1],
    [{ TLS_CERT: junk, TLS_KEY }, 1],
    [{ TLS_CERT, TLS_KEY: junk }, 1],
    [{ TLS_CERT, TLS_KEY: other.TLS_KEY }, 1],
    [{ REDIRECT_HTTP_PORT: '8080' }, 1],
    [{ TLS_CERT, TLS_KEY, REDIRECT_HTTP_PORT: 'eighty' }, 1],
  ]
  await Promise.all(
    rows.map(async ([settings, lines]) => {
      const {
        status,
        output,
        lines: printed,
      } = await failedStart(t, {
        DATABASE_URL: 'sqlite::memory:',
        FILES_URL: `file:${folder}`,
        ...settings,
      })
      const what = `${JSON.stringify(settings)}: ${output}`
      assert.equal(status, 2, what)
      assert.equal(printed.length, lines, what)
      assert.ok(
        printed.every((line) => line.startsWith('vitrine: ')),
        what,
      )
    }),
  )
})
