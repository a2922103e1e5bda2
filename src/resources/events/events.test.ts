import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { after, before, suite, test, type TestContext } from 'node:test'
import { dataApp, dataFile } from '../../../test/support/data-app.ts'
import { openEvents, type ReceivedEvent } from '../../../test/support/event-stream.ts'
import { makeCertificate } from '../../../test/support/tls-client.ts'
import {
  createSchema,
  openPostgresServer,
  withoutPostgres,
  type PostgresServer,
} from '../../../test/support/postgres-server.ts'
import { settingsIn, startVitrine, temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { testApp } from '../../../test/support/test-app.ts'
import { until } from '../../../test/support/until.ts'

const blog = {
  posts: [{ id: 1, title: 'One' }],
  tags: [{ id: 'a', name: 'A' }],
  settings: { theme: 'dark' },
}

async function openBlog(t: TestContext) {
  const app = await dataApp(t, blog)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, origin, url: `${origin}/posts` }
}

async function send(method: string, url: string, value?: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const body = value === undefined ? {} : { body: JSON.stringify(value), headers }
  const response = await fetch(url, { method, ...body })
  assert.ok(response.ok, await response.text())
}

const toPairs = (events: readonly (ReceivedEvent | undefined)[]) =>
  events.map((event) => [event?.name, event?.value])

test('each change of a list is an event with the record, in a growing order', async (t) => {
  const { url } = await openBlog(t)
  const stream = await openEvents(t, `${url}/events`)
  const { status, headers } = stream.response
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/event-stream'])
  assert.equal(headers.get('cache-control'), 'no-store')
  await send('POST', url, { title: 'Two' })
  await send('PATCH', `${url}/2`, { title: 'Second\r\nline' })
  await send('PUT', `${url}/9`, { title: 'Nine' })
  await send('DELETE', `${url}/1`)
  const events = await stream.take(4)
  assert.deepEqual(toPairs(events), [
    ['created', { id: 2, title: 'Two' }],
    ['changed', { id: 2, title: 'Second\r\nline' }],
    ['created', { id: 9, title: 'Nine' }],
    ['deleted', { id: 1 }],
  ])
  const ids = events.map((event) => Number(event?.id))
  assert.deepEqual(
    ids,
    ids.map((_, index) => Number(ids[0]) + index),
  )
})

test('a single record and a list whose ids are text have events too, of their own', async (t) => {
  const { origin } = await openBlog(t)
  const [ofSettings, ofTags] = [
    await openEvents(t, `${origin}/settings/events`),
    await openEvents(t, `${origin}/tags/events`),
  ]
  await send('PATCH', `${origin}/settings`, { theme: 'light' })
  await send('DELETE', `${origin}/tags/a`)
  assert.deepEqual(toPairs([await ofSettings.next()]), [['changed', { theme: 'light' }]])
  assert.deepEqual(toPairs([await ofTags.next()]), [['deleted', { id: 'a' }]])
})

test('a failed write is no event', async (t) => {
  const { url, app } = await openBlog(t)
  const stream = await openEvents(t, `${url}/events`)
  const headers = { 'if-match': '"other"' }
  const failed = await app.inject({ method: 'DELETE', url: '/posts/1', headers })
  assert.equal(failed.statusCode, 412)
  await send('PATCH', `${url}/1`, { title: 'Changed' })
  assert.equal((await stream.next())?.name, 'changed')
})

test('records that are deleted with their parent are events of their lists', async (t) => {
  const reference = { resource: 'authors', onDelete: 'cascade' }
  const schema = { posts: { properties: { authorId: { 'x-references': reference } } } }
  const contents = { authors: [{ id: 1 }], posts: [{ id: 7, authorId: 1 }] }
  const app = await dataApp(t, contents, { schema })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const stream = await openEvents(t, `${origin}/posts/events`)
  await send('DELETE', `${origin}/authors/1`)
  assert.deepEqual(toPairs([await stream.next()]), [['deleted', { id: 7 }]])
})

test('Last-Event-ID resumes after that event, also if it was before the first change', async (t) => {
  const { url } = await openBlog(t)
  const stream = await openEvents(t, `${url}/events`)
  const before = stream.lastId()
  stream.close()
  for (const title of ['Two', 'Three', 'Four']) await send('POST', url, { title })
  const whole = await openEvents(t, `${url}/events`, before)
  const [first] = await whole.take(3)
  const rest = await openEvents(t, `${url}/events`, first?.id)
  assert.deepEqual(toPairs(await rest.take(2)), [
    ['created', { id: 3, title: 'Three' }],
    ['created', { id: 4, title: 'Four' }],
  ])
})

for (const lastId of ['0', '1', 'nonsense', '-5', '9'.repeat(400), '999999999999999']) {
  test(`a client that missed more than is kept gets a reset: ${lastId.slice(0, 20)}`, async (t) => {
    const { url } = await openBlog(t)
    const stream = await openEvents(t, `${url}/events`, lastId)
    const reset = await stream.next()
    assert.deepEqual([reset?.name, reset?.value], ['reset', {}])
    await send('POST', url, { title: 'Two' })
    const created = await stream.next()
    assert.equal(Number(created?.id), Number(reset?.id) + 1)
  })
}

test('the stream is not compressed, has no body for HEAD, and no other representation', async (t) => {
  const { url, app } = await openBlog(t)
  const stream = await openEvents(t, `${url}/events`)
  assert.equal(stream.response.headers.get('content-encoding'), null)
  const head = await fetch(`${url}/events`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream'])
  assert.equal(head.headers.get('x-accel-buffering'), 'no')
  for (const name of ['cache-control', 'vary', 'x-accel-buffering'])
    assert.equal(head.headers.get(name), stream.response.headers.get(name), name)
  const accept = 'application/json'
  assert.equal((await app.inject({ url: '/posts/events', headers: { accept } })).statusCode, 406)
  assert.equal((await app.inject({ method: 'POST', url: '/posts/events' })).statusCode, 405)
  assert.equal((await (await testApp(t)).inject('/people/events')).statusCode, 404)
})

test('the number of streams is limited, and another can start when one ends', async (t) => {
  const { url } = await openBlog(t)
  const streams = await Promise.all(
    Array.from({ length: 1000 }, () => openEvents(t, `${url}/events`)),
  )
  assert.ok(streams.every(({ response }) => response.status === 200))
  const rejected = await fetch(`${url}/events`)
  assert.deepEqual([rejected.status, rejected.headers.get('retry-after')], [503, '1'])
  assert.match(await rejected.text(), /1,000 event streams are open/)
  await send('POST', url, { title: 'Two' })
  const events = await Promise.all(streams.map(({ next }) => next()))
  assert.ok(events.every((event) => event?.name === 'created'))
  for (const { close } of streams.slice(0, 10)) close()
  await until(async () => {
    const { response, close } = await openEvents(t, `${url}/events`)
    close()
    return response.status === 200
  })
})

test('a stop of the service ends the streams at once', async (t) => {
  const { app, url } = await openBlog(t)
  const stream = await openEvents(t, `${url}/events`)
  await app.close()
  assert.equal(await stream.next(), undefined)
})

test('events arrive over HTTP/2', async (t) => {
  const settings = { ...(await makeCertificate(t)), DATA_FILE: await dataFile(t, blog) }
  const { origin } = await startVitrine(t, settings)
  const session = connect(origin, { rejectUnauthorized: false })
  t.after(() => {
    session.destroy()
  })
  const stream = session.request({ ':path': '/posts/events' }).setEncoding('utf8')
  await once(stream, 'data')
  const write = session.request({
    ':method': 'PATCH',
    ':path': '/posts/1',
    'content-type': 'application/json',
  })
  write.end('{"title":"Changed"}')
  const [text] = (await once(stream, 'data')) as [string]
  assert.match(text, /^event: changed\nid: \d+\ndata: \{"id":1,"title":"Changed"\}\n\n$/)
})

test('a service that was killed and started again resumes a stream', async (t) => {
  const folder = await temporaryFolder(t)
  const DATABASE_URL = `sqlite:${join(folder, 'data.db')}`
  const settings = { DATABASE_URL, DATA_FILE: await dataFile(t, blog), LOG_LEVEL: 'silent' }
  const first = await startVitrine(t, settings)
  const stream = await openEvents(t, `${first.origin}/posts/events`)
  await send('POST', `${first.origin}/posts`, { title: 'Two' })
  assert.deepEqual(toPairs([await stream.next()]), [['created', { id: 2, title: 'Two' }]])
  await send('POST', `${first.origin}/posts`, { title: 'Three' })
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  const lastId = Number(stream.lastId())
  const second = await startVitrine(t, settings)
  await send('POST', `${second.origin}/posts`, { title: 'Four' })
  const resumed = await openEvents(t, `${second.origin}/posts/events`, String(lastId))
  const more = stream.lastId() === String(lastId) ? ['Three', 'Four'] : ['Four']
  for (const title of more) {
    assert.deepEqual((await resumed.next())?.value, { id: title === 'Four' ? 4 : 3, title })
  }
})

test('a file that is loaded again is a reset for the clients of another process', async (t) => {
  const settings = {
    DATABASE_URL: `sqlite:${join(await temporaryFolder(t), 'data.db')}`,
    DATA_FILE: await dataFile(t, blog),
    LOG_LEVEL: 'silent',
  }
  const { origin } = await startVitrine(t, settings)
  const stream = await openEvents(t, `${origin}/posts/events`)
  await startVitrine(t, { ...settings, DATA_RELOAD: 'on' })
  assert.equal((await stream.next())?.name, 'reset')
})

/** Events of writes to one process, read from all. */
async function assertShared(t: TestContext, origins: readonly string[]): Promise<void> {
  const streams = await Promise.all(
    Array.from({ length: 8 }, (_, index) => {
      return openEvents(t, `${origins[index % origins.length] ?? ''}/posts/events`)
    }),
  )
  const titles = Array.from({ length: 40 }, (_, index) => `Title ${String(index)}`)
  await Promise.all(
    titles.map((title, index) =>
      send('POST', `${origins[index % origins.length] ?? ''}/posts`, { title }),
    ),
  )
  const received = await Promise.all(streams.map(({ take }) => take(titles.length)))
  const [first = []] = received
  for (const events of received) assert.deepEqual(events, first)
  const values = first.map((event) => event?.value as { title: string })
  assert.deepEqual(values.map((value) => value.title).sort(), titles.toSorted())
}

test('processes on one SQLite file stream the changes of all, in one order', async (t) => {
  const files = settingsIn(await temporaryFolder(t))
  const settings = { ...files, DATA_FILE: await dataFile(t, blog), LOG_LEVEL: 'silent' }
  const [one, other] = [await startVitrine(t, settings), await startVitrine(t, settings)]
  await assertShared(t, [one.origin, other.origin])
})

suite('replicas on PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  test('replicas stream the changes of all replicas, also after the database was away', async (t) => {
    const DATABASE_URL = await createSchema(server.url)
    const settings = { DATABASE_URL, DATA_FILE: await dataFile(t, blog), LOG_LEVEL: 'silent' }
    const first = await startVitrine(t, settings)
    const origins = [first.origin, (await startVitrine(t, settings)).origin]
    await assertShared(t, origins)
    const stream = await openEvents(t, `${origins[0] ?? ''}/posts/events`)
    await server.stop('SIGQUIT')
    for (const one of origins) await until(async () => !(await fetch(`${one}/posts`)).ok)
    await server.start()
    await until(async () => (await fetch(`${origins[1] ?? ''}/posts`)).ok)
    await send('PATCH', `${origins[1] ?? ''}/posts/1`, { title: 'Back' })
    assert.deepEqual(toPairs([await stream.next()]), [['changed', { id: 1, title: 'Back' }]])
  })
})

test('a stream rejects a parameter, which would not filter it', async (t) => {
  const { url } = await openBlog(t)
  const response = await fetch(`${url}/events?title=One`)
  assert.equal(response.status, 400)
  assert.match(await response.text(), /The stream has no parameter title/)
})
