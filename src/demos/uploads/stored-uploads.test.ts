import assert from 'node:assert/strict'
import { rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { asUpload } from '../../../test/support/multipart-form.ts'
import { browserAccept } from '../../../test/support/resources.ts'
import { listUploads, openUploads, upload } from '../../../test/support/uploads.ts'
import { testApp } from '../../../test/support/test-app.ts'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { words } from '../../../test/support/words.ts'

const digits = '0123456789'
const listTypes = ['text/html', 'application/json', 'text/plain'] as const

test('the list has every upload, oldest first, as a page, as JSON and as text', async (t) => {
  const { app } = await openUploads(t)
  const names = ['c.txt', 'a.txt', 'b.txt']
  const ids: string[] = []
  for (const fileName of names) ids.push((await upload(app, fileName, { fileName }))._id)
  for (const accept of listTypes) {
    await t.test(accept, async () => {
      const response = await app.inject({ url: '/uploads', headers: { accept } })
      assert.equal(response.statusCode, 200)
      assert.ok(String(response.headers['content-type']).startsWith(accept))
      assert.match(String(response.headers.vary), /Accept\b(?!-)/)
      for (const sought of [names, ids]) {
        const places = sought.map((text) => response.body.indexOf(text))
        assert.ok(!places.includes(-1))
        assert.deepEqual(
          places,
          places.toSorted((one, other) => one - other),
        )
      }
    })
  }
  assert.match(
    String((await app.inject({ url: '/uploads' })).headers['content-type']),
    /^text\/html/,
  )
  const shown = await listUploads(app)
  const listedNames = shown.map(({ name }) => name)
  assert.deepEqual(listedNames, names)
  const fields = ['_id', 'createdAt', 'name', 'sha256', 'size', 'type']
  for (const one of shown) assert.deepEqual(Object.keys(one).toSorted(), fields)
})

test('the list without uploads is empty', async (t) => {
  const app = await testApp(t)
  const send = async (accept: string) => app.inject({ url: '/uploads', headers: { accept } })
  assert.equal((await send('application/json')).body.trim(), '[]')
  assert.equal((await send('text/plain')).body, '')
  assert.equal((await send('text/html')).statusCode, 200)
  assert.equal((await send('image/png')).statusCode, 406)
})

test('the page shows sizes rounded and exact, or that there are no uploads', async (t) => {
  const { app } = await openUploads(t)
  const send = async () =>
    (await app.inject({ url: '/uploads', headers: { accept: 'text/html' } })).body
  const empty = await send()
  assert.match(empty, /No uploads yet/)
  assert.doesNotMatch(empty, /<table/)
  await upload(app, Buffer.alloc(1434))
  const page = await send()
  assert.match(page, /<data value="1434" title="1,434 bytes">1\.4 KiB<\/data>/)
  assert.doesNotMatch(page, /No uploads yet/)
})

test('a name is escaped in the page, and stays on its line in the text', async (t) => {
  const { app } = await openUploads(t)
  await upload(app, 'glass', { fileName: `<img src=x onerror=alert(1)>&'.txt` })
  const page = await app.inject({ url: '/uploads', headers: { accept: browserAccept } })
  assert.doesNotMatch(page.body, /<img/)
  assert.match(page.body, /&lt;img src=x onerror=alert\(1\)&gt;&amp;/)
  await upload(app, 'glass', { fileName: 'one\ttwo\u0085three.txt' })
  const text = await app.inject({ url: '/uploads', headers: { accept: 'text/plain' } })
  assert.equal(text.body.trimEnd().split(/[\n\u0085]/).length, 2)
})

test('a file is served as an attachment with its name, sandboxed', async (t) => {
  const { app } = await openUploads(t)
  const cases: [fileName: string, encoded: string][] = [
    ['glass.txt', 'glass.txt'],
    ['two words.txt', 'two words.txt'],
    ['é.txt', '%C3%A9.txt'],
    ['😀 漢.txt', '%F0%9F%98%80%20%E6%BC%A2.txt'],
    [`100%41.txt`, '100%2541.txt'],
  ]
  for (const [fileName, encoded] of cases) {
    await t.test(fileName, async () => {
      const { _id } = await upload(app, 'glass', { fileName, type: 'text/plain' })
      const { headers, body } = await app.inject(`/uploads/${_id}`)
      assert.equal(body, 'glass')
      const disposition = String(headers['content-disposition'])
      assert.match(disposition, /^attachment/)
      const named = /filename\*=UTF-8''([^;]+)/i.exec(disposition)
      assert.equal((named ?? /filename="?([^";]+)"?/.exec(disposition))?.[1], encoded)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
      const policy = String(headers['content-security-policy'])
      assert.match(policy, /(^|; *)sandbox *(;|$)/)
      assert.match(policy, /default-src 'none'/)
      assert.match(String(headers['content-type']), /^text\/plain/)
    })
  }
})

const sandboxKey = 'sandbox-of-uploads-01'
const policies: [way: string, base: string, headers: Record<string, string>, policy: string][] = [
  ['the path', `/s/${sandboxKey}`, {}, 'cross-origin'],
  ['the header', '', { 'x-sandbox': sandboxKey }, 'cross-origin'],
  ['the cookie', '', { cookie: `sandbox=${sandboxKey}` }, 'same-origin'],
]
for (const [way, base, headers, policy] of policies) {
  test(`pages of other sites see the uploads of a sandbox that ${way} names: ${policy}`, async (t) => {
    const { app } = await openUploads(t)
    const form = asUpload('glass')
    const own = { ...headers, accept: 'application/json' }
    const sent = { ...form, headers: { ...form.headers, ...own } }
    const created = await app.inject({ method: 'POST', url: `${base}/profile`, ...sent })
    const url = `${base}/uploads/${created.json<{ _id: string }>()._id}`
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await app.inject({ method, url, headers })
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['cross-origin-resource-policy'], policy)
    }
  })
}

test('a name cannot break out of its header or its quotes', async (t) => {
  const { app } = await openUploads(t)
  const names = ['a\\"; filename=b.html; x=\\".txt', 'a%0D%0ASet-Cookie: a=b.txt', "a'b*c.txt"]
  for (const fileName of names) {
    await t.test(fileName, async () => {
      const { _id } = await upload(app, 'glass', { fileName })
      const { headers } = await app.inject(`/uploads/${_id}`)
      const disposition = String(headers['content-disposition'])
      assert.doesNotMatch(disposition.replace(/"(?:[^"\\]|\\.)*"/g, '""'), /b\.html/)
      assert.match(disposition, /^attachment; filename/)
      assert.equal(headers['set-cookie'], undefined)
    })
  }
})

test('content that a browser could run is served with a harmless media type', async (t) => {
  const { app } = await openUploads(t)
  const types = words`
    text/html TEXT/HTML application/xhtml+xml image/svg+xml text/xml application/xml text/javascript
    application/pdf multipart/x-mixed-replace
  `
  for (const type of types) {
    await t.test(type, async () => {
      const { _id } = await upload(app, '<script>alert(1)</script>', { type, fileName: 'a.html' })
      for (const accept of ['*/*', browserAccept]) {
        const { headers } = await app.inject({ url: `/uploads/${_id}`, headers: { accept } })
        assert.equal(headers['content-type'], 'application/octet-stream')
        assert.match(String(headers['content-disposition']), /^attachment/)
      }
    })
  }
})

test('a conditional request for an upload gets 304, by ETag and by date', async (t) => {
  const { app } = await openUploads(t)
  const { _id, sha256 } = await upload(app, digits)
  const url = `/uploads/${_id}`
  const { headers: first } = await app.inject(url)
  const tag = String(first.etag)
  const time = String(first['last-modified'])
  assert.equal(tag, `"${sha256}"`)
  const cases: [headers: Record<string, string>, status: number][] = [
    [{ 'if-none-match': tag }, 304],
    [{ 'if-none-match': `W/${tag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"other"' }, 200],
    [{ 'if-modified-since': time }, 304],
    [{ 'if-match': tag }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': `W/${tag}` }, 412],
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-match': '"other"', range: 'bytes=0-1' }, 412],
    [{ 'if-match': tag, 'if-none-match': tag }, 304],
    [{ 'if-unmodified-since': 'Sun, 09 Sep 2001 01:46:40 GMT' }, 412],
  ]
  for (const [headers, status] of cases) {
    for (const method of ['GET', 'HEAD'] as const) {
      await t.test(`${String(status)} ${method}`, async () => {
        const response = await app.inject({ method, url, headers })
        assert.equal(response.statusCode, status, JSON.stringify(headers))
        if (status === 304) {
          assert.equal(response.body, '')
          assert.equal(response.headers.etag, tag)
        }
        if (status === 412) assert.equal(response.headers['content-disposition'], undefined)
      })
    }
  }
})

test('a range gets 206 with that part, or 416 with the size', async (t) => {
  const { app } = await openUploads(t)
  const { _id, sha256 } = await upload(app, digits)
  const url = `/uploads/${_id}`
  const cases: [headers: Record<string, string>, status: number, body: string, part?: string][] = [
    [{ range: 'bytes=2-4' }, 206, '234', 'bytes 2-4/10'],
    [{ range: 'bytes=-3' }, 206, '789', 'bytes 7-9/10'],
    [{ range: 'bytes=8-99' }, 206, '89', 'bytes 8-9/10'],
    [{ range: 'bytes=2-4', 'if-range': `"${sha256}"` }, 206, '234', 'bytes 2-4/10'],
    [{ range: 'bytes=2-4', 'if-range': '"other"' }, 200, digits],
    [{ range: 'bytes=4-2' }, 200, digits],
    [{ range: 'lines=2-4' }, 200, digits],
  ]
  for (const [headers, status, body, part] of cases) {
    await t.test(JSON.stringify(headers), async () => {
      const response = await app.inject({ url, headers })
      assert.equal(response.statusCode, status)
      assert.equal(response.body, body)
      assert.equal(response.headers['content-range'], part)
      assert.equal(response.headers['content-length'], String(body.length))
    })
  }
  for (const range of ['bytes=10-', 'bytes=-0']) {
    await t.test(range, async () => {
      const response = await app.inject({ url, headers: { range } })
      assert.equal(response.statusCode, 416)
      assert.equal(response.headers['content-range'], 'bytes */10')
    })
  }
})

test('HEAD has the headers of GET including its length, and no body', async (t) => {
  const { app } = await openUploads(t)
  for (const content of [digits, '']) {
    await t.test(content, async () => {
      const { _id } = await upload(app, content)
      const get = await app.inject(`/uploads/${_id}`)
      const head = await app.inject({ method: 'HEAD', url: `/uploads/${_id}` })
      assert.equal(head.statusCode, 200)
      assert.equal(get.headers['content-length'], String(content.length))
      const variable = { date: '', 'server-timing': '', 'x-request-id': '' }
      assert.deepEqual({ ...head.headers, ...variable }, { ...get.headers, ...variable })
      assert.equal(head.body, '')
    })
  }
})

test('an unknown id gets 404 that names it, also when it is a path out of the folder', async (t) => {
  const { app } = await openUploads(t)
  await upload(app, digits)
  for (const id of ['nobody', '..%2foutside', '..%5c', 'a%00b', '.part', 'x'.repeat(999)]) {
    for (const method of ['GET', 'HEAD'] as const) {
      await t.test(`${method} ${id}`, async () => {
        const { statusCode } = await app.inject({ method, url: `/uploads/${id}` })
        assert.match(String(statusCode), /^40[04]$/)
      })
    }
  }
  assert.match((await app.inject('/uploads/nobody')).body, /nobody/)
})

const missing: Record<string, (path: string) => Promise<void>> = {
  'is gone from the folder': unlink,
  'is still pending, as a killed restore leaves it': (path) => rename(path, `${path}.part`),
}

for (const [title, spoil] of Object.entries(missing)) {
  test(`an upload whose file ${title} gets 500 with the request id`, async (t) => {
    const folder = await temporaryFolder(t)
    const app = await testApp(t, { settings: { FILES_URL: `file:${folder}` }, expectsFaults: true })
    const { _id } = await upload(app, digits)
    await spoil(join(folder, _id))
    const { statusCode, headers, body } = await app.inject(`/uploads/${_id}`)
    assert.equal(statusCode, 500)
    assert.equal(headers['retry-after'], undefined)
    assert.ok(body.includes(String(headers['x-request-id'])))
    assert.ok(app.logLines.some((line) => line.includes(`the file of upload ${_id} is missing`)))
    assert.ok(!body.includes(folder))
  })
}

for (const member of ['name', 'type', 'size', 'sha256']) {
  test(`an upload whose record has lost its ${member} gets 503 and is not listed`, async (t) => {
    const path = join(await temporaryFolder(t), 'vitrine.db')
    const app = await testApp(t, { settings: { DATABASE_URL: `sqlite:${path}` } })
    const { _id } = await upload(app, digits)
    using database = new DatabaseSync(path)
    database
      .prepare('UPDATE records SET document = json_remove(document, ?) WHERE id = ?')
      .run(`$.${member}`, _id)
    assert.equal((await app.inject(`/uploads/${_id}`)).statusCode, 503)
    assert.deepEqual(await listUploads(app), [])
  })
}
