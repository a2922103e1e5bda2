import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, suite, test, type TestContext } from 'node:test'
import pg from 'pg'
import { findFreePort } from '../support/free-port.ts'
import { openAdmin, readReadiness, notReady, ready, startWithAdmin } from '../support/admin.ts'
import {
  createSchema,
  openPostgresServer,
  withoutPostgres,
  type PostgresServer,
} from '../support/postgres-server.ts'
import { startRedis, withRedis } from '../support/redis-server.ts'
import { spawnVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { openClient } from '../support/client.ts'
import {
  beginUpload,
  ended,
  get,
  limit,
  openConnection,
  rejectsConnections,
} from '../support/stopping.ts'

const patience = { timeout: 300_000 }

test('a process that is stopping is draining, for every probe', limit, async (t) => {
  const { adminOrigin, send, ready: readiness, ...vitrine } = await startWithAdmin(t)
  const upload = await beginUpload(t, vitrine, Buffer.alloc(100_000))
  const connection = await openConnection(t, vitrine.origin)
  connection.write(get('/health/ready'))
  assert.match(await connection.response(), /^HTTP\/1.1 200 [^]*"ready"/)
  const probe = get('/health/ready')
  connection.write(probe.slice(0, 20))
  vitrine.process.kill('SIGTERM')
  await rejectsConnections(vitrine.origin)
  connection.write(probe.slice(20))
  const response = await connection.response()
  assert.match(response, /^HTTP\/1.1 503 /)
  assert.match(response, /^retry-after: 1\r$/im)
  assert.match(response, /\{"status":"draining"\}$/)
  assert.deepEqual(await readiness(), notReady('draining'))
  assert.equal((await send('/health/live')).status, 200)
  assert.match((await send('/metrics')).text, /^http_requests_in_flight 1$/m)
  upload.finish()
  assert.match(await upload.response(), /^HTTP\/1.1 200 /)
  await ended(vitrine.process)
  assert.equal(vitrine.process.exitCode, 0)
  await rejectsConnections(adminOrigin)
})

test('a damaged file is reported as an unavailable database', limit, async (t) => {
  const { folder, origin, ready: readiness, send } = await startWithAdmin(t, { LOG_LEVEL: 'warn' })
  assert.deepEqual(await readiness(), ready)
  for (const name of ['vitrine.db', 'vitrine.db-wal', 'vitrine.db-shm']) {
    await writeFile(join(folder, name), Buffer.alloc(100_000, 'no database'))
  }
  assert.deepEqual(await readiness(), notReady('no database'))
  assert.deepEqual(await readReadiness(openClient(t, origin)), notReady('no database'))
  assert.equal((await send('/health/live')).status, 200)
})

test(
  'the metrics name the dependency that does not work',
  { ...limit, ...withRedis },
  async (t) => {
    const redis = await startRedis()
    t.after(redis.kill)
    const { folder, filesFolder, metrics } = await startWithAdmin(t, { REDIS_URL: redis.url })
    const isUp = async (dependency: string) =>
      (await metrics()).sum('vitrine_dependency_up', { dependency })
    const all = ['database', 'files', 'redis']
    assert.deepEqual(await Promise.all(all.map(isUp)), [1, 1, 1])
    await redis.kill()
    await rm(filesFolder, { recursive: true })
    await until(async () => (await isUp('redis')) === 0)
    assert.deepEqual(await Promise.all(all.map(isUp)), [1, 0, 0])
    for (const name of ['vitrine.db', 'vitrine.db-wal', 'vitrine.db-shm']) {
      await writeFile(join(folder, name), Buffer.alloc(100_000, 'no database'))
    }
    assert.equal(await isUp('database'), 0)
  },
)

suite('with PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  async function startOnServer(t: TestContext) {
    const DATABASE_URL = await createSchema(server.url)
    const vitrine = await startWithAdmin(t, { DATABASE_URL, LOG_LEVEL: 'info' })
    let written = ''
    for (const stream of [vitrine.process.stdout, vitrine.process.stderr]) {
      stream?.on('data', (chunk: Buffer) => (written += chunk.toString()))
    }
    const main = openClient(t, vitrine.origin)
    const all = async () => [await vitrine.ready(), await readReadiness(main)]
    return { ...vitrine, all, written: () => written }
  }

  const failures = {
    'is frozen': [
      () => {
        server.freeze()
      },
      () => {
        server.thaw()
      },
    ],
    'has ended': [() => server.stop('SIGQUIT'), () => server.start()],
  } as const

  for (const [what, [fail, heal]] of Object.entries(failures)) {
    test(
      `a server that ${what} is reported as an unavailable database until it is back`,
      patience,
      async (t) => {
        const { all, send, origin, written } = await startOnServer(t)
        assert.deepEqual(await all(), [ready, ready])
        await fail()
        try {
          for (let round = 0; round < 2; round += 1) {
            assert.deepEqual(await all(), [notReady('no database'), notReady('no database')])
          }
          assert.equal((await send('/health/live')).status, 200)
          // Any number of concurrent probes waits no longer than one.
          const many = Array.from({ length: 50 }, () => readReadiness(openClient(t, origin)))
          for (const one of await Promise.all(many)) assert.deepEqual(one, notReady('no database'))
        } finally {
          await heal()
        }
        await until(async () => (await all()).every(([status]) => status === 200))
        assert.doesNotMatch(written(), /"level":[456]0/)
      },
    )
  }

  test('a process is starting until its records can be read', patience, async (t) => {
    const url = await createSchema(server.url)
    // A migration waits for this lock.
    const holder = new pg.Client({ connectionString: server.url })
    await holder.connect()
    await holder.query('SELECT pg_advisory_lock(8427963501)')
    const adminPort = String(await findFreePort())
    const { process: child, output } = spawnVitrine({
      PORT: '0',
      ADMIN_PORT: adminPort,
      DATABASE_URL: url,
      FILES_URL: `file:${join(await temporaryFolder(t), 'files')}`,
    })
    t.after(() => child.kill('SIGKILL'))
    await once(child.stdout ?? child, 'data')
    assert.equal(
      output(),
      `Health checks and metrics are available at http://127.0.0.1:${adminPort}/health/live, /health/ready, /metrics\n`,
    )
    const admin = openAdmin(t, `http://127.0.0.1:${adminPort}`)
    assert.deepEqual(await admin.ready(), notReady('starting'))
    assert.equal((await admin.send('/health/live')).status, 200)
    assert.equal((await admin.metrics()).sum('vitrine_info'), 1)
    await holder.end()
    await until(async () => (await admin.ready())[0] === 200)
    const origin = /^Vitrine is listening on (\S+)$/m.exec(output())?.[1] ?? assert.fail(output())
    assert.deepEqual(await readReadiness(openClient(t, origin)), ready)
  })
})
