import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import { failedStart } from '../support/failed-start.ts'
import { makeCertificate } from '../support/tls-client.ts'
import { temporaryFolder } from '../support/start-vitrine.ts'
import { assertOpensWithout } from '../support/start-without.ts'

/** The line of a start that fails with this status. */
async function lineOfFailure(
  t: TestContext,
  settings: Record<string, string>,
  expectedStatus = 2,
): Promise<string> {
  const files = `file:${join(await temporaryFolder(t), 'files')}`
  const { status, output } = await failedStart(t, { FILES_URL: files, ...settings })
  assert.equal(status, expectedStatus, output)
  return output.trimEnd()
}

test('an unreachable server stops the start with one line, without the password, and status 69', async (t) => {
  // Port 1 is for tcpmux (RFC 1078), which no machine has had for decades.
  const url = 'postgres://ann:secret@127.0.0.1:1,127.0.0.1:1/records?sslmode=disable'
  assert.match(
    await lineOfFailure(t, { DATABASE_URL: url }, 69),
    /^vitrine: cannot start: DATABASE_URL cannot be opened: .*ECONNREFUSED 127\.0\.0\.1:1$/,
  )
})

test('a certificate file that does not exist stops the start with status 2', async (t) => {
  const DATABASE_URL = 'postgres://127.0.0.1:1/records?sslrootcert=/nowhere.pem'
  assert.match(await lineOfFailure(t, { DATABASE_URL }), /a file named in the URL cannot be read/)
})

test('a server without TLS stops the start with status 2 if TLS is required', async (t) => {
  const port = await startTlsServer(t)
  const DATABASE_URL = `postgres://127.0.0.1:${port}/records?sslmode=verify-full`
  assert.match(await lineOfFailure(t, { DATABASE_URL }), /: The server does not support SSL/)
})

test('a certificate of an unknown authority stops the start with status 2', async (t) => {
  const { TLS_CERT, TLS_KEY } = await makeCertificate(t)
  const [cert, key] = await Promise.all([readFile(TLS_CERT), readFile(TLS_KEY)])
  const port = await startTlsServer(t, { cert, key })
  const DATABASE_URL = `postgres://127.0.0.1:${port}/records?sslmode=verify-full`
  assert.match(await lineOfFailure(t, { DATABASE_URL }), /in DATABASE_URL: sslrootcert=\S+$/)
})

/** Only responds to SSLRequest, which every client sends first. */
async function startTlsServer(t: TestContext, certificate?: { cert: Buffer; key: Buffer }) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(certificate ? 'S' : 'N')
      if (!certificate) return
      new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => undefined)
    })
  })
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return String((server.address() as AddressInfo).port)
}

test('the error of a start without the driver names the package to install', async (t) => {
  const hooks = `import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => next(name === 'pg' ? 'no-such-pg' : name, context) })`
  const line = await lineOfFailure(t, {
    DATABASE_URL: 'postgresql://127.0.0.1/records',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
  })
  assert.equal(line, 'vitrine: packages are missing for DATABASE_URL: npm install pg')
})

test('the driver is not loaded for SQLite', async (t) => {
  await assertOpensWithout(t, /storage.*postgres|node_modules.pg/)
})
