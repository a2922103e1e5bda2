import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openWire } from '../../test/faults/stopping.ts'
import { startVitrine, temporaryFolder } from '../../test/start-vitrine.ts'
import { testApp } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'

/** Holds the whole process up. */
function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('what was waiting while the process was held up is refused, and then no more', async (t) => {
  const app = await testApp(t, { settings: { MAX_EVENT_LOOP_DELAY_MS: '1000' } })
  assert.equal((await app.inject('/api/json')).statusCode, 200)
  block(1500)
  const questions = ['/api/json', '/nowhere', '/%ff', '/topic.html', '/health', '/health/']
  const answers = await Promise.all(questions.map((url) => app.inject(url)))
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [503, 503, 503, 503, 200, 200],
  )
  await until(async () => (await app.inject('/api/json')).statusCode === 200)
  for (let index = 0; index < 20; index += 1) {
    assert.equal((await app.inject('/api/json')).statusCode, 200)
  }
})

test('a request that is refused says so like any other, and may come again in a second', async (t) => {
  const app = await testApp(t, { settings: { MAX_EVENT_LOOP_DELAY_MS: '100' } })
  await app.ready()
  block(500)
  const headers = { accept: 'application/json' }
  const answer = await app.inject({ method: 'POST', url: '/users', headers, payload: {} })
  assert.equal(answer.statusCode, 503)
  assert.equal(answer.headers['retry-after'], '1')
  assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
  const problem = answer.json<{ type: string; detail: string }>()
  assert.match(problem.type, /\/problems\/unavailable$/)
  assert.match(problem.detail, /more to do here/)
})

test('without the setting nothing is refused, however late it is', async (t) => {
  const app = await testApp(t)
  block(500)
  assert.equal((await app.inject('/api/json')).statusCode, 200)
})

/** A process that is held up for half a second, again and again, while a file is there. */
async function startBusy(t: TestContext) {
  const file = join(await temporaryFolder(t), 'busy')
  const module = `
    import { existsSync } from 'node:fs'
    setInterval(() => {
      const end = performance.now() + (existsSync(${JSON.stringify(file)}) ? 500 : 0)
      while (performance.now() < end);
    }, 1).unref()`
  const vitrine = await startVitrine(t, {
    MAX_EVENT_LOOP_DELAY_MS: '200',
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}`,
  })
  return { ...vitrine, holdUp: () => writeFile(file, ''), letGo: () => rm(file) }
}

test('a process that is behind refuses all but its probes until it is on time again', async (t) => {
  const { origin, holdUp, letGo } = await startBusy(t)
  const statusOf = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`${origin}${path}`, init)
    await answer.arrayBuffer()
    return answer.status
  }
  await until(async () => (await statusOf('/api/json')) === 200)
  await holdUp()
  await until(async () => (await statusOf('/api/json')) === 503)
  const body = 'a=1&_method=GET'
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const asked = [
    statusOf('/users'),
    statusOf('/nowhere'),
    statusOf('/toc/aaa', { method: 'POST', body, headers }),
    statusOf('/health'),
    statusOf('/health'),
  ]
  assert.deepEqual(await Promise.all(asked), [503, 503, 503, 200, 200])
  await letGo()
  await until(async () => (await statusOf('/api/json')) === 200)
})

test('a request is refused before its content has come', async (t) => {
  const { origin, holdUp } = await startBusy(t)
  await holdUp()
  await until(async () => (await fetch(`${origin}/topic`)).status === 503)
  const { write, answer } = await openWire(t, origin)
  write(
    'POST /toc/aaa HTTP/1.1\r\nHost: localhost\r\n' +
      'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n',
  )
  assert.match(await answer(), /^HTTP\/1\.1 503 /)
})
