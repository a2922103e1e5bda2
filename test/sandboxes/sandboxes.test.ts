import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { InjectOptions } from 'fastify'
import { loadConfig } from '../../src/config/config.ts'
import { openRecords } from '../../src/stores/open-stores.ts'
import { dataApp } from '../support/data-app.ts'
import { backends } from '../support/sandbox-backends.ts'
import type { TestApp } from '../support/test-app.ts'

const keys = ['sandbox-of-ann-0001', 'sandbox-of-bob-0002'] as const
const [ann, bob] = keys
const posts = [
  { id: 1, title: 'One' },
  { id: 2, title: 'Two' },
]

/** A request with the key in the header; without a key, it is shared. */
function send(app: TestApp, key: string | undefined, request: InjectOptions) {
  const headers = { ...request.headers, ...(key && { 'x-sandbox': key }) }
  return app.inject({ ...request, headers })
}

async function listTitles(app: TestApp, key?: string, url = '/posts') {
  const response = await send(app, key, { url, headers: { accept: 'application/json' } })
  assert.equal(response.statusCode, 200, response.body)
  return response.json<{ title: string }[]>().map(({ title }) => title)
}

const post = (app: TestApp, key: string | undefined, title: string) =>
  send(app, key, { method: 'POST', url: '/posts', payload: { title } })

test('a sandbox begins with the data file, and its writes are seen in it only', async (t) => {
  const app = await dataApp(t, { posts })
  await post(app, undefined, 'Shared')
  assert.deepEqual(await listTitles(app, ann), ['One', 'Two'])
  const created = await post(app, ann, 'Of Ann')
  assert.deepEqual([created.statusCode, created.headers.location], [201, '/posts/3'])
  assert.deepEqual(await listTitles(app, ann), ['One', 'Two', 'Of Ann'])
  assert.deepEqual(await listTitles(app, bob), ['One', 'Two'])
  assert.deepEqual(await listTitles(app), ['One', 'Two', 'Shared'])
})

test('a change and a deletion have no effect outside of the sandbox', async (t) => {
  const app = await dataApp(t, { posts })
  const before = await send(app, ann, { url: '/posts/1' })
  const headers = { 'if-match': String(before.headers.etag) }
  const payload = { title: 'Changed' }
  const changed = await send(app, ann, { method: 'PATCH', url: '/posts/1', headers, payload })
  assert.equal(changed.statusCode, 200, changed.body)
  assert.equal((await send(app, bob, { method: 'DELETE', url: '/posts/1' })).statusCode, 204)
  assert.deepEqual(await listTitles(app, ann), ['Changed', 'Two'])
  assert.deepEqual(await listTitles(app, bob), ['Two'])
  assert.deepEqual(await listTitles(app), ['One', 'Two'])
})

const ways: [way: string, toRequest: (key: string) => InjectOptions][] = [
  ['the path', (key) => ({ url: `/s/${key}/posts` })],
  ['the path with a query', (key) => ({ url: `/s/${key}/posts?q=Of` })],
  ['the header', (key) => ({ url: '/posts', headers: { 'x-sandbox': key } })],
  ['the cookie', (key) => ({ url: '/posts', headers: { cookie: `a=b; sandbox=${key}` } })],
  [
    'the cookie of HTTPS',
    (key) => ({
      url: '/posts',
      headers: {
        cookie: `sandbox=${bob}; __Host-sandbox=${key}; sandbox=${bob}`,
        'x-forwarded-proto': 'https',
      },
    }),
  ],
  [
    'the path before others',
    (key) => ({ url: `/s/${key}/posts`, headers: { 'x-sandbox': bob, cookie: `sandbox=${bob}` } }),
  ],
  [
    'the header before the cookie',
    (key) => ({ url: '/posts', headers: { 'x-sandbox': key, cookie: `sandbox=${bob}` } }),
  ],
]
for (const [way, toRequest] of ways) {
  test(`${way} names a sandbox`, async (t) => {
    const app = await dataApp(
      t,
      { posts },
      { settings: { TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: 'localhost' } },
    )
    const payload = { title: 'Of Ann' }
    const created = await app.inject({ ...toRequest(ann), method: 'POST', payload })
    assert.equal(created.statusCode, 201)
    assert.deepEqual((await listTitles(app, ann)).length, 3)
    assert.deepEqual((await listTitles(app, bob)).length, 2)
    assert.deepEqual((await listTitles(app)).length, 2)
  })
}

const failing: [title: string, status: number, request: InjectOptions][] = [
  ['a change of no record', 404, { method: 'PATCH', url: '/posts/9', payload: { title: 'New' } }],
  ['a deletion of no record', 404, { method: 'DELETE', url: '/posts/9' }],
  [
    'a body that is not JSON',
    400,
    {
      method: 'POST',
      url: '/posts',
      payload: '{',
      headers: { 'content-type': 'application/json' },
    },
  ],
  [
    'an unknown media type',
    415,
    { method: 'POST', url: '/posts', payload: 'a', headers: { 'content-type': 'text/plain' } },
  ],
  [
    'a changed record',
    412,
    { method: 'DELETE', url: '/posts/1', headers: { 'if-match': '"other"' } },
  ],
]
for (const [title, status, request] of failing) {
  test(`a write that fails stores no sandbox: ${title}`, async (t) => {
    const [, , toSettings] = backends[0] ?? assert.fail()
    const settings = await toSettings()
    const app = await dataApp(t, { posts }, { settings })
    assert.equal((await send(app, ann, request)).statusCode, status)
    assert.equal(await countSandboxes(settings), 0)
  })
}

const foreign: [protocol: string, name: string][] = [
  ['https', 'sandbox'],
  ['http, https', 'sandbox'],
  ['http', '__Host-sandbox'],
]
for (const [protocol, name] of foreign) {
  test(`over ${protocol}, the cookie ${name} names no sandbox`, async (t) => {
    const app = await dataApp(
      t,
      { posts },
      { settings: { TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: 'localhost' } },
    )
    await post(app, ann, 'Of Ann')
    const headers = { cookie: `${name}=${ann}`, 'x-forwarded-proto': protocol }
    assert.equal((await app.inject({ url: '/posts', headers })).json<unknown[]>().length, 2)
  })
}

const wrong = [
  'short',
  'a'.repeat(65),
  'sandbox of ann 0001',
  'sandbox.of.ann.0001',
  'sändbox-of-ann-001',
  'sandbox%2Dof-ann-0001',
  '',
]
for (const key of wrong) {
  test(`the key "${key}" is not valid`, async (t) => {
    const app = await dataApp(t, { posts })
    if (key !== '') {
      const inPath = await app.inject(`/s/${encodeURIComponent(key)}/posts`)
      assert.equal(inPath.statusCode, 400)
    }
    const response = await send(app, undefined, {
      url: '/posts',
      headers: { 'x-sandbox': Buffer.from(key).toString('latin1') },
    })
    assert.equal(response.statusCode, 400)
    assert.match(response.body, /16 to 64 characters/)
  })
}

test('with SANDBOXES=off a key is an error, and the path is not found', async (t) => {
  const app = await dataApp(t, { posts }, { settings: { SANDBOXES: 'off' } })
  assert.equal((await send(app, ann, { url: '/posts' })).statusCode, 400)
  assert.equal((await app.inject(`/s/${ann}/posts`)).statusCode, 404)
})

for (const [backend, skip, toSettings] of backends) {
  suite(`sandboxes on ${backend}`, { skip }, () => {
    test('a read stores nothing, and the first write is there after a restart', async (t) => {
      const settings = await toSettings()
      const app = await dataApp(t, { posts }, { settings })
      await listTitles(app, ann)
      assert.equal(await countSandboxes(settings), 0)
      await post(app, ann, 'Of Ann')
      assert.equal(await countSandboxes(settings), 1)
      await app.close()
      const again = await dataApp(t, { posts }, { settings: { ...settings, DATA_RELOAD: 'off' } })
      assert.deepEqual(await listTitles(again, ann), ['One', 'Two', 'Of Ann'])
    })

    test('of many first writes at once, all are kept', async (t) => {
      const app = await dataApp(t, { posts }, { settings: await toSettings() })
      const titles = Array.from({ length: 20 }, (_, index) => `Post ${String(index)}`)
      await Promise.all(titles.map((title) => post(app, ann, title)))
      assert.deepEqual(
        (await listTitles(app, ann)).toSorted(),
        [...titles, 'One', 'Two'].toSorted(),
      )
    })

    test('tests in parallel with their own keys do not see each other', async (t) => {
      const app = await dataApp(t, { posts }, { settings: await toSettings() })
      const toKey = (number: number) => `parallel-test-${String(number).padStart(4, '0')}`
      const useOne = async (key: string) => {
        const created = await post(app, key, key)
        assert.equal(created.headers.location, '/posts/3', created.body)
        await send(app, key, { method: 'DELETE', url: '/posts/1' })
        await send(app, key, { method: 'PATCH', url: '/posts/2', payload: { title: 'Own' } })
        assert.deepEqual(await listTitles(app, key), ['Own', key])
      }
      await Promise.all(Array.from({ length: 100 }, (_, index) => useOne(toKey(index))))
      assert.deepEqual(await listTitles(app), ['One', 'Two'])
    })

    test('a sandbox that is not used begins again', async (t) => {
      const settings = { ...(await toSettings()), SANDBOX_SECONDS: '1' }
      const app = await dataApp(t, { posts }, { settings })
      await post(app, ann, 'Of Ann')
      await delay(1100)
      assert.deepEqual(await listTitles(app, ann), ['One', 'Two'])
      assert.equal((await post(app, ann, 'Again')).headers.location, '/posts/3')
      assert.deepEqual(await listTitles(app, ann), ['One', 'Two', 'Again'])
    })
  })
}

/** Of the database, which another process can read. */
async function countSandboxes(settings: Record<string, string>): Promise<number> {
  const config = loadConfig({ DEMOS: 'none', ...settings }, [])
  const { records, close } = await openRecords(config)
  try {
    return await records.collection('~sandboxes').count()
  } finally {
    await close()
  }
}
