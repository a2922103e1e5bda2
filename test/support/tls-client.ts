import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { temporaryFolder, type Ending } from './start-vitrine.ts'
import { startWatched, type WatchedVitrine } from './watched-vitrine.ts'

const run = promisify(execFile)

/** A self-signed certificate for this machine, as settings. */
export async function makeCertificate(t: Ending): Promise<{ TLS_CERT: string; TLS_KEY: string }> {
  const folder = await temporaryFolder(t)
  const [TLS_CERT, TLS_KEY] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', TLS_KEY, '-out', TLS_CERT]
  await run('openssl', ['req', '-x509', ...key, ...files, '-days', '2', ...subject])
  return { TLS_CERT, TLS_KEY }
}

/** A process that serves HTTPS alone. */
export async function startSecure(
  t: Ending,
  settings: Readonly<Record<string, string>> = {},
): Promise<WatchedVitrine> {
  return startWatched(t, { ...(await makeCertificate(t)), ...settings })
}

/** A connection that trusts any certificate, for one protocol of ALPN. */
export async function openSecure(
  t: TestContext,
  origin: string,
  protocol: 'h2' | 'http/1.1',
  localAddress?: string,
): Promise<TLSSocket> {
  const { hostname, port } = new URL(origin)
  const options = { host: hostname, port: Number(port), localAddress, rejectUnauthorized: false }
  const socket = connect({ ...options, ALPNProtocols: [protocol] })
  // The server may close the connection during a write.
  socket.on('error', () => undefined)
  t.after(() => socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

interface CurlResponse {
  status: number
  /** The header block of the last response. */
  head: string
  body: string
}

/** Sends a request with curl, trusting any certificate. */
export async function curl(...args: readonly string[]): Promise<CurlResponse> {
  const { stdout } = await run('curl', ['-sSki', '--max-time', '20', ...args])
  let rest = stdout
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    const [head, body] = [rest.slice(0, end), rest.slice(end + 4)]
    const status = Number(head.split(' ')[1])
    if (status >= 200) return { status, head, body }
    rest = body
  }
}
