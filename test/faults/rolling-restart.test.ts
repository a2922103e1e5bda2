import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { findFreePort } from '../support/free-port.ts'
import { withoutNginx, writeNginxFiles } from '../support/nginx.ts'
import {
  projectFolder,
  settingsIn,
  startVitrine,
  temporaryFolder,
} from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asJson, listOf, openClient } from '../support/client.ts'

const run = promisify(execFile)
const script = join(projectFolder, 'deploy/restart-replica.sh')
const killFrozen = join(projectFolder, 'deploy/kill-frozen.sh')
const rounds = 5

/** nginx with the files of compose.yaml, in front of these servers. */
async function startNginx(t: TestContext, servers: readonly string[]) {
  const { program, file, upstreamFile } = await writeNginxFiles(t)
  const port = String(await findFreePort())
  const config = await readFile(file, 'utf8')
  await writeFile(file, config.replace('listen 8080;', `listen 127.0.0.1:${port};`))
  const lines = servers.map((server) => `  server ${server};\n`)
  await writeFile(upstreamFile, `upstream vitrine {\n${lines.join('')}}\n`)
  const child = spawn(program, ['-c', file, '-g', 'daemon off;'], { stdio: 'ignore' })
  t.after(() => child.kill('SIGTERM'))
  const environment = {
    UPSTREAM_FILE: upstreamFile,
    NGINX_RELOAD: `${program} -s reload -c ${file}`,
  }
  return { origin: `http://127.0.0.1:${port}`, upstreamFile, environment }
}

/** Replicas on one database, each started anew on its port whenever it ends. */
async function startReplicas(t: TestContext, ports: readonly string[]) {
  const folder = await temporaryFolder(t)
  const settings = { ...settingsIn(folder), DRAIN_SECONDS: '1', LOG_LEVEL: 'silent' }
  const pids = new Map<string, number | undefined>()
  const start = async (port: string) => {
    const { process: child } = await startVitrine(t, { ...settings, PORT: port })
    pids.set(port, child.pid)
    child.once('exit', (status) => {
      // Requests that the end of the test aborts have none.
      if (status === 0) void start(port)
    })
  }
  for (const port of ports) await start(port)
  return pids
}

/** Creates a location on a new connection: nginx closes persistent ones when it reloads. */
async function create(origin: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { method, headers, body } = asJson('POST', { name: 'Rome' })
  request(`${origin}/locations`, { method, headers, agent: false }, resolve)
    .on('error', reject)
    .end(body)
  try {
    const response = await promise
    await response.toArray()
    return String(response.statusCode)
  } catch (error) {
    return String(error)
  }
}

async function startBehindNginx(t: TestContext) {
  const ports = [String(await findFreePort()), String(await findFreePort())]
  const pids = await startReplicas(t, ports)
  const nginx = await startNginx(
    t,
    ports.map((port) => `127.0.0.1:${port}`),
  )
  await until(async () => (await create(nginx.origin)) === '201')
  return { ports, pids, nginx }
}

test(
  'replicas restarted one after the other behind nginx lose no request',
  { skip: withoutNginx, timeout: 600_000 },
  async (t) => {
    const { ports, pids, nginx } = await startBehindNginx(t)
    const outcomes = new Map<string, number>()
    let isOver = false
    const writers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const outcome = await create(nginx.origin)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    })
    for (let round = 0; round < rounds; round += 1) {
      for (const port of ports) {
        const pid = String(pids.get(port))
        const stop = ['sh', '-c', `kill ${pid} && tail --pid=${pid} -f /dev/null`]
        const env = { ...process.env, ...nginx.environment }
        await run(script, [`127.0.0.1:${port}`, ...stop], { env })
        assert.notEqual(String(pids.get(port)), pid)
      }
    }
    isOver = true
    await Promise.all(writers)
    t.diagnostic(`${String(rounds)} restarts of each replica, ${JSON.stringify([...outcomes])}`)
    assert.deepEqual([...outcomes.keys()], ['201'])
    const kept = await listOf(openClient(t, nginx.origin), '/locations')
    assert.equal(kept.length, (outcomes.get('201') ?? 0) + 1)
    assert.doesNotMatch(await readFile(nginx.upstreamFile, 'utf8'), /down/)
  },
)

for (const signal of ['HUP', 'INT', 'TERM']) {
  test(`a restart that is interrupted by ${signal} can be repeated`, async (t) => {
    const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const address = `127.0.0.1:${String((server.address() as AddressInfo).port)}`
    const upstreamFile = join(await temporaryFolder(t), 'upstream.conf')
    const before = `upstream vitrine {\n  server ${address};\n  server 127.0.0.1:1;\n}\n`
    await writeFile(upstreamFile, before)
    const env = { ...process.env, UPSTREAM_FILE: upstreamFile, NGINX_RELOAD: 'true' }
    const interrupt = ['sh', '-c', `kill -${signal} $PPID`]
    const problem = /^restart-replica: interrupted: run this again if \S+ has \S+ as down\n$/
    await assert.rejects(run(script, [address, ...interrupt], { env }), {
      code: 1,
      stderr: problem,
    })
    assert.match(await readFile(upstreamFile, 'utf8'), /down/)
    await run(script, [address, 'true'], { env })
    assert.equal(await readFile(upstreamFile, 'utf8'), before)
  })
}

test(
  'a frozen replica is killed, and its safe requests go to the other one',
  { skip: withoutNginx, timeout: 600_000 },
  async (t) => {
    const { ports, pids, nginx } = await startBehindNginx(t)
    const [frozen = ''] = ports
    const pid = pids.get(frozen) ?? assert.fail()
    process.kill(pid, 'SIGSTOP')
    const kill = ['kill', '-KILL', String(pid)]
    const url = `http://127.0.0.1:${frozen}/health/live`
    const check = spawn(killFrozen, [url, ...kill], { stdio: 'ignore' })
    t.after(() => check.kill())
    const [reads, writes] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, async () => (await fetch(nginx.origin)).status)),
      Promise.all(Array.from({ length: 4 }, () => create(nginx.origin))),
    ])
    assert.deepEqual(reads, [200, 200, 200, 200])
    // Not 504: the connections ended before the 75 seconds of proxy_read_timeout.
    assert.deepEqual([...new Set(writes)].toSorted(), ['201', '502'])
    const kept = await listOf(openClient(t, nginx.origin), '/locations')
    assert.equal(kept.length, writes.filter((status) => status === '201').length + 1)
    // nginx gets ECONNREFUSED from the port of the ended process.
    for (let count = 0; count < 4; count += 1) assert.equal(await create(nginx.origin), '201')
  },
)
