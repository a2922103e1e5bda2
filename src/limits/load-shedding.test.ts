import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openConnection } from '../../test/support/stopping.ts'
import { startVitrine, temporaryFolder } from '../../test/support/start-vitrine.ts'
import { testApp } from '../../test/support/test-app.ts'
import { until } from '../../test/support/until.ts'

/** Holds the whole process up, and leaves the processor to others. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('requests that waited while the process was blocked are rejected, and later ones are not', async (t) => {
  const app = await testApp(t, { settings: { MAX_EVENT_LOOP_DELAY_MS: '200' } })
  const statusOf = async (url: string) => (await app.inject(url)).statusCode
  await until(async () => (await statusOf('/mirror/query')) === 200)
  const rejected = ['/mirror/query', '/nowhere', '/%ff', '/people.html', '/health/no', '/assets/no']
  // If this process is not scheduled for a while, some may arrive after the delay.
  await until(async () => {
    block(300)
    const responses = Promise.all(rejected.map(statusOf))
    assert.deepEqual(await Promise.all(['/health', '/health/'].map(statusOf)), [200, 200])
    return (await responses).every((status) => status === 503)
  })
  await until(async () => (await statusOf('/mirror/query')) === 200)
})

test('a rejected request gets an error with Retry-After: 1', async (t) => {
  const app = await testApp(t, { settings: { MAX_EVENT_LOOP_DELAY_MS: '100' } })
  await app.ready()
  const headers = { accept: 'application/json' }
  const send = () => app.inject({ method: 'POST', url: '/people', headers, payload: {} })
  let response = await send()
  await until(async () => {
    block(200)
    response = await send()
    return response.statusCode === 503
  })
  assert.equal(response.headers['retry-after'], '1')
  assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
  const problem = response.json<{ type: string; detail: string }>()
  assert.match(problem.type, /\/problems\/unavailable$/)
  assert.match(problem.detail, /overloaded/)
  await until(() => app.logLines.some((line) => line.includes(`"failure":"${problem.detail}"`)))
})

test('without the setting nothing is rejected, however long the delay', async (t) => {
  const app = await testApp(t)
  block(500)
  assert.equal((await app.inject('/mirror/query')).statusCode, 200)
})

/** A process that is held up for half a second, again and again, while a file is there. */
async function startBusy(t: TestContext) {
  const file = join(await temporaryFolder(t), 'busy')
  const module = `
    import { existsSync } from 'node:fs'
    setInterval(() => {
      if (!existsSync(${JSON.stringify(file)})) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    }, 1).unref()`
  const vitrine = await startVitrine(t, {
    MAX_EVENT_LOOP_DELAY_MS: '200',
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}`,
  })
  return { ...vitrine, holdUp: () => writeFile(file, ''), letGo: () => rm(file) }
}

test('an overloaded process rejects all requests but probes until it has recovered', async (t) => {
  const { origin, holdUp, letGo } = await startBusy(t)
  const statusOf = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${origin}${path}`, init)
    await response.arrayBuffer()
    return response.status
  }
  await until(async () => (await statusOf('/mirror/query')) === 200)
  await holdUp()
  await until(async () => (await statusOf('/mirror/query')) === 503)
  const body = 'a=1&_method=GET'
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = [
    statusOf('/people'),
    statusOf('/nowhere'),
    statusOf('/mirror/field', { method: 'POST', body, headers }),
    statusOf('/health'),
    statusOf('/health'),
  ]
  assert.deepEqual(await Promise.all(sent), [503, 503, 503, 200, 200])
  await letGo()
  await until(async () => (await statusOf('/mirror/query')) === 200)
})

test('a request is rejected before its body has arrived', async (t) => {
  const { origin, holdUp } = await startBusy(t)
  await holdUp()
  await until(async () => (await fetch(`${origin}/mirror/query`)).status === 503)
  const { write, response } = await openConnection(t, origin)
  write(
    'POST /mirror/field HTTP/1.1\r\nHost: localhost\r\n' +
      'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n',
  )
  assert.match(await response(), /^HTTP\/1\.1 503 /)
})
