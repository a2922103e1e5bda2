import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import packageJson from '../package.json' with { type: 'json' }
import { ready, startWithAdmin } from './support/admin.ts'
import { asFile, asJson, openClient } from './support/client.ts'
import { failedStart } from './support/failed-start.ts'
import { beginUpload, ended, limit, openConnection } from './support/stopping.ts'
import { projectFolder, temporaryFolder } from './support/start-vitrine.ts'
import { assertOpensWithout } from './support/start-without.ts'
import { until } from './support/until.ts'
import { useStarted } from './support/watched-vitrine.ts'

const admin = useStarted((t) => startWithAdmin(t))

test('the admin port has the probes and the metrics, and nothing else', limit, async (t) => {
  const { send } = admin()
  const rows = [
    ['/health/live', 200, 'application/json; charset=utf-8'],
    ['/health/ready', 200, 'application/json; charset=utf-8'],
    ['/health/ready/?verbose', 200, 'application/json; charset=utf-8'],
    ['/metrics', 200, 'text/plain; version=0.0.4; charset=utf-8'],
    ['/', 404, 'text/plain; charset=utf-8'],
    ['/health', 404, 'text/plain; charset=utf-8'],
    ['/people', 404, 'text/plain; charset=utf-8'],
    ['/metrics/__proto__', 404, 'text/plain; charset=utf-8'],
    ['/%ff', 404, 'text/plain; charset=utf-8'],
  ] as const
  for (const [path, status, type] of rows) {
    for (const method of ['GET', 'HEAD']) {
      await t.test(`${path} ${type} ${method}`, async () => {
        const headers = { origin: 'https://else.where' }
        const response = await send(path, { method, headers })
        assert.deepEqual([path, response.status], [path, status])
        assert.equal(response.headers['content-type'], type)
        assert.equal(response.headers['cache-control'], 'no-store')
        assert.equal(response.headers['x-content-type-options'], 'nosniff')
        const cors = Object.keys(response.headers).filter((name) =>
          name.startsWith('access-control'),
        )
        assert.deepEqual(cors, [])
        if (method === 'HEAD') assert.equal(response.text, '')
      })
    }
  }
  assert.equal((await send('/health/live')).text, '{"status":"live"}')
})

test('the admin port accepts safe methods only', limit, async (t) => {
  const { send } = admin()
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
    await t.test(method, async () => {
      const response = await send('/metrics?_method=GET', { method })
      assert.deepEqual(
        [method, response.status, response.headers.allow],
        [method, 405, 'GET, HEAD'],
      )
    })
  }
})

test('the admin port serves metrics to local hosts only, and probes to all', limit, async (t) => {
  const { send } = await startWithAdmin(t, { HOST: '0.0.0.0' })
  const rows = [
    [421, '/metrics', 'attacker.example'],
    [421, '/nowhere', 'attacker.example:9090'],
    [200, '/metrics', 'localhost:9090'],
    [200, '/metrics', '10.0.0.7'],
    [200, '/health/live', 'attacker.example'],
    [200, '/health/ready', 'attacker.example'],
  ] as const
  for (const [expected, path, host] of rows) {
    await t.test(`${path} ${host}`, async () => {
      const { status } = await send(path, { headers: { host } })
      assert.deepEqual([path, host, status], [path, host, expected])
    })
  }
})

test('the admin port of a network address serves every host', limit, async (t) => {
  const { send } = await startWithAdmin(t, { ADMIN_HOST: '0.0.0.0' })
  assert.equal((await send('/metrics', { headers: { host: 'vitrine-1.pod' } })).status, 200)
})

test('the main port has the probes too, and no metrics', limit, async (t) => {
  const { origin } = admin()
  const send = openClient(t, origin)
  assert.equal((await send('/health/live')).text, '{"status":"live"}')
  assert.equal((await send('/health/ready')).text, '{"status":"ready"}')
  assert.equal((await send('/metrics')).status, 404)
})

test('malformed HTTP closes only its own connection', limit, async (t) => {
  const { send, adminOrigin } = admin()
  const messages = [
    'garbage\r\n\r\n',
    'CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'POST /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'GET /health/live HTTP/1.1\r\nExpect: much\r\nConnection: close\r\n\r\n',
    `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ]
  for (const message of messages) {
    await t.test(message.slice(0, 20), async () => {
      const connection = await openConnection(t, adminOrigin)
      connection.write(message)
      const received = await connection.closed()
      assert.match(received, /^$|^HTTP\/1\.1 4\d\d /)
      assert.doesNotMatch(received, /access-control/i)
    })
  }
  assert.equal((await send('/health/live')).status, 200)
})

test('requests are counted by method, route and status', limit, async (t) => {
  const { origin, metrics } = await startWithAdmin(t)
  const send = openClient(t, origin)
  const before = await metrics()
  assert.equal(before.sum('http_requests_total'), 0)
  assert.equal(before.sum('vitrine_info', { version: packageJson.version }), 1)
  let bytes = 0
  for (const id of ['a', 'b', 'c']) bytes += (await send(`/people/${id}`)).text.length
  bytes += (await send('/places.json')).text.length
  await send('/mirror/query?_method=HEAD')
  const { sum } = await metrics()
  const read = { method: 'GET', route: '/people/:id' }
  assert.equal(sum('http_requests_total', { ...read, status: '404' }), 3)
  assert.equal(sum('http_request_duration_seconds_count', read), 3)
  assert.equal(
    sum('http_requests_total', { method: 'HEAD', route: '/mirror/query', status: '200' }),
    1,
  )
  assert.equal(sum('http_requests_total'), 5)
  assert.equal(sum('http_response_bytes_total'), bytes)
  assert.equal(sum('http_requests_in_flight'), 0)
  for (const name of [
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    await t.test(name, () => {
      assert.ok(sum(name) > 0)
    })
  }
})

test('what is used of the limits is measured', limit, async (t) => {
  const { origin, metrics } = await startWithAdmin(t, { PRESET: 'public' })
  const send = openClient(t, origin)
  const before = await metrics()
  assert.ok(before.sum('vitrine_used', { what: 'database_bytes' }) >= 4096)
  assert.equal(before.sum('vitrine_used', { what: 'files_bytes' }), 0)
  assert.equal(before.sum('vitrine_used', { what: 'clients' }), 0)
  for (const size of [100, 23]) await send('/profile', asFile(Buffer.alloc(size)))
  const { sum } = await metrics()
  assert.equal(sum('vitrine_used', { what: 'files_bytes' }), 123)
  assert.equal(sum('vitrine_used', { what: 'clients' }), 1)
})

test('open connections and stored records are counted', limit, async (t) => {
  const { origin, metrics } = await startWithAdmin(t)
  const send = openClient(t, origin)
  for (const name of ['Rome', 'Oslo']) await send('/places', asJson('POST', { name }))
  const { sum } = await metrics()
  assert.equal(sum('http_connections'), 1)
  assert.equal(sum('vitrine_records', { kind: 'places' }), 2)
})

test('the alerts use metrics that exist, and docs/operating.md explains each', limit, async (t) => {
  const { origin, metrics } = admin()
  const send = openClient(t, origin)
  await send('/places', asJson('POST', { name: 'Rome' }))
  const { samples } = await metrics()
  const known = new Set(samples.map(({ name }) => name))
  const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8')
  const { groups } = parse(read('deploy/alerts.yml')) as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
  const rules = groups.flatMap(({ rules }) => rules)
  for (const { alert, expr } of rules) {
    const used = expr.match(/\b(http|vitrine)_\w+/g) ?? []
    assert.ok(used.length > 0 || expr.startsWith('up{'), alert)
    for (const name of used) assert.ok(known.has(name), `${alert}: ${name}`)
  }
  const [, table = ''] = read('docs/operating.md').split('| Alert |')
  const explained = [...table.matchAll(/^\| `([A-Z]\w+)` \|.*\|$/gm)].map(([, name]) => name)
  assert.deepEqual(
    explained,
    rules.map(({ alert }) => alert),
  )
})

test('no client can create a label', limit, async (t) => {
  const { origin, metrics } = await startWithAdmin(t)
  const send = openClient(t, origin)
  for (let index = 0; index < 200; index += 1) {
    const name = `"}\\n${String(index)}`
    await send(`/nowhere/${encodeURIComponent(name)}`)
    await send(`/places/id-${String(index)}`, { headers: { 'x-request-id': name } })
  }
  for (const method of ['PROPFIND', 'MKCOL', 'SOURCE', 'M-SEARCH', 'TRACE']) {
    await send('/people', { method })
  }
  await send('/people', { headers: { 'x-http-method-override': 'BREW' } })
  const { samples, sum } = await metrics()
  const counted = samples.filter(({ name }) => name === 'http_requests_total')
  const labels = counted.map(({ labels }) => Object.values(labels).join(' ')).toSorted()
  assert.deepEqual(
    labels.map((text) => text.replace(/^other none \d+$/, 'other none')),
    [
      'GET /people 200',
      'GET /places/:id 404',
      'GET none 404',
      ...labels.filter((text) => text.startsWith('other')).map(() => 'other none'),
    ],
  )
  assert.equal(sum('http_requests_total', { method: 'other' }), 5)
})

test('requests in flight are counted, and so are aborted ones', limit, async (t) => {
  const { metrics, ...vitrine } = await startWithAdmin(t)
  const upload = await beginUpload(t, vitrine, Buffer.alloc(100_000))
  assert.equal((await metrics()).sum('http_requests_in_flight'), 1)
  // Its content is read before it has a route.
  const connection = await openConnection(t, vitrine.origin)
  connection.write('POST /users/post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"half')
  connection.end()
  upload.end()
  await until(async () => (await metrics()).sum('http_requests_total') === 2)
  const { sum } = await metrics()
  assert.equal(sum('http_requests_in_flight'), 0)
  assert.equal(sum('http_requests_total', { route: '/profile' }), 1)
  assert.equal(sum('http_requests_total', { route: '/users/post' }), 1)
})

test('a failed start closes the admin port, and ends', limit, async (t) => {
  const { status, output } = await failedStart(t, {
    ADMIN_PORT: '0',
    DATABASE_URL: 'sqlite:/dev/null/vitrine.db',
    FILES_URL: `file:${join(await temporaryFolder(t), 'files')}`,
  })
  assert.match(
    output,
    /^Health checks and metrics are available at .*\nvitrine: cannot start: sqlite:.*\n$/,
  )
  assert.equal(status, 2)
})

test('a connection to the admin port does not keep the process alive', limit, async (t) => {
  const { adminOrigin, process: child, ready: readiness } = await startWithAdmin(t)
  assert.deepEqual(await readiness(), ready)
  await openConnection(t, adminOrigin)
  const half = await openConnection(t, adminOrigin)
  half.write('GET /health/live HTTP/1.1\r\n')
  child.kill('SIGTERM')
  await ended(child)
  assert.equal(child.exitCode, 0)
})

test('without ADMIN_PORT none of its modules is loaded', limit, async (t) => {
  await assertOpensWithout(t, /src.admin|prom-client/)
})
