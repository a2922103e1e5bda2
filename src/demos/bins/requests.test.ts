import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createBin, type Captured } from '../../../test/support/bins.ts'
import { asMultipart } from '../../../test/support/multipart-form.ts'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const run = promisify(execFile)

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
]
for (const method of methods) {
  test(`a bin captures ${method}, with the target as it was sent`, async (t) => {
    const app = await testApp(t)
    const bin = await createBin(app)
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const path = '/a//b/../%2e?x=%zz&_method=DELETE'
    const sent = request({ port, method, path: `/b/${bin.id}${path}`, agent: false }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['access-control-allow-origin'], '*')
    const [captured] = await bin.list()
    assert.deepEqual(
      [captured?.method, captured?.target, captured?.path],
      [method, `/b/${bin.id}${path}`, path],
    )
  })
}

const bodies: [title: string, bytes: Buffer, shown: object][] = [
  ['text', Buffer.from('grün'), { size: 5, isCut: false, text: 'grün' }],
  ['bytes', Buffer.from([0, 255]), { size: 2, isCut: false, hex: '00ff' }],
  ['a null character', Buffer.from('a\0'), { size: 2, isCut: false, hex: '6100' }],
  [
    'more than 64 KiB, cut in a character',
    Buffer.from('x'.repeat(65_535) + 'ü'.repeat(10)),
    { size: 65_555, isCut: true, text: 'x'.repeat(65_535) },
  ],
]
for (const [title, payload, shown] of bodies) {
  test(`a body of ${title} is stored, and can be downloaded`, async () => {
    const bin = await createBin(sharedApp())
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    await bin.send('', { method: 'POST', payload, headers })
    const [captured] = await bin.list()
    assert.deepEqual(captured?.requestBody, shown)
    const body = await bin.read(`/requests/${captured.id}/body`)
    assert.ok(payload.equals(body.rawPayload))
    assert.equal(body.headers['content-type'], 'application/octet-stream')
    assert.match(String(body.headers['content-disposition']), /^attachment/)
    assert.match(String(body.headers['content-security-policy']), /sandbox/)
    assert.equal(body.headers['x-content-type-options'], 'nosniff')
  })
}

test('a body that is too large gets 413, and the capture has its start', async (t) => {
  const bin = await createBin(await testApp(t, { settings: { BIN_MAX_BODY_BYTES: '10' } }))
  const payload = 'x'.repeat(11)
  const response = await bin.send('/a', { method: 'POST', payload })
  assert.equal(response.statusCode, 413)
  assert.match(response.body, /BIN_MAX_BODY_BYTES/)
  assert.equal((await bin.send('/b', { method: 'POST', payload: 'x'.repeat(10) })).statusCode, 200)
  const captured = await bin.list()
  assert.deepEqual(
    captured.map(({ status, isTooLarge, requestBody }) => [status, isTooLarge, requestBody]),
    [
      [413, true, { size: 11, isCut: true, text: 'x'.repeat(10) }],
      [200, undefined, { size: 10, isCut: false, text: 'x'.repeat(10) }],
    ],
  )
  const headers = { accept: 'text/html' }
  const page = (await bin.read(`/requests/${captured[0]?.id ?? ''}`, { headers })).body
  assert.match(page, /Only the first 10 bytes were kept \(BIN_MAX_BODY_BYTES\)\./)
  assert.match(page, /Download the start of the body/)
  assert.match(page, /not recorded completely/)
  assert.doesNotMatch(page, /data-replay/)
})

test('the command of a long body that is stored downloads it and sends it again', async (t) => {
  const app = await testApp(t)
  const { id, list, authorization } = await createBin(app)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const body = `'"\n`.repeat(300_000)
  await fetch(`${origin}/b/${id}`, { method: 'POST', body })
  const [sent] = await list()
  const headers = { accept: 'text/html', authorization }
  const response = await fetch(`${origin}/bins/${id}/requests/${sent?.id ?? ''}`, { headers })
  const page = await response.text()
  assert.match(page, /Only the start is shown\. Download the body\./)
  assert.doesNotMatch(page, /Only the start was|not recorded completely/)
  assert.match(page, /data-replay/)
  const [, source = ''] = /<figcaption>curl<\/figcaption><pre[^>]*>([^]*?)<\/pre>/.exec(page) ?? []
  const command = source
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
  await run('sh', ['-c', command], { cwd: await temporaryFolder(t) })
  const bytes = (await list()).map(({ requestBody }) => requestBody?.size)
  assert.deepEqual(bytes, [900_000, 900_000])
})

test('headers are captured in their order and case, without own cookies and secrets', async (t) => {
  const app = await testApp(t)
  const bin = await createBin(app)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  await fetch(`${origin}/b/${bin.id}/?key=${bin.secret}`, {
    headers: {
      'X-One': '1',
      [bin.secret]: '1',
      cookie: `a=1; session=s; __Host-session=s; flash=f; inspector=i; bin-x=1; __Secure-bin-x=1; b=2`,
      authorization: bin.authorization,
      'x-inspector': 'a-secret-of-16-characters',
    },
  })
  const [captured] = await bin.list()
  const fields = new Map(captured?.requestFields)
  assert.deepEqual(
    ['X-One', 'cookie', 'authorization', 'x-inspector'].map((name) => fields.get(name)),
    ['1', 'a=1; b=2', 'Bearer vbs_***', undefined],
  )
  assert.doesNotMatch(JSON.stringify(captured), new RegExp(bin.secret, 'i'))
})

test('a preflight from any site succeeds, whatever the response of the bin is', async () => {
  const bin = await createBin(sharedApp(), { status: 500 })
  const headers = {
    origin: 'https://other.example',
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'x-own',
  }
  const response = await bin.send('', { method: 'OPTIONS', headers })
  assert.equal(response.statusCode, 204)
  assert.equal(response.headers['access-control-allow-origin'], 'https://other.example')
  assert.match(String(response.headers['access-control-allow-methods']), /PUT/)
  assert.equal(response.headers['access-control-allow-headers'], 'x-own')
  const sent = await bin.send('', { method: 'PUT', headers: { origin: headers.origin } })
  assert.deepEqual(
    [sent.statusCode, sent.headers['access-control-allow-origin']],
    [500, 'https://other.example'],
  )
})

test('the response of a bin runs nothing in the origin of the service, and sets no own cookie', async () => {
  const bin = await createBin(sharedApp(), {
    type: 'text/html',
    body: '<script>alert(1)</script>',
    headers: { 'Content-Security-Policy': "default-src 'self'" },
    cookies: ['session=x', 'own=1; Path=/; Domain=example.com'],
  })
  const { headers } = await bin.send()
  assert.equal(headers['content-security-policy'], 'sandbox')
  assert.deepEqual([headers['set-cookie']].flat(), [`own=1; Path=/b/${bin.id}`])
})

test('files of a form can be downloaded, as attachments', async () => {
  const bin = await createBin(sharedApp())
  const { headers, payload } = asMultipart([
    { name: 'text', content: 'plain' },
    { name: 'page', fileName: '../b.html', type: 'text/html', content: '<script>' },
    { name: 'large', fileName: 'größe.bin', content: Buffer.alloc(100_000, 7) },
  ])
  await bin.send('', { method: 'POST', headers, payload })
  const [captured] = await bin.list()
  const { fields, files } = (await bin.read(`/requests/${captured?.id ?? ''}`)).json<Captured>()
  assert.deepEqual(fields, [['text', 'plain']])
  const asPage = { headers: { accept: 'text/html' } }
  const { body } = await bin.read(`/requests/${captured?.id ?? ''}`, asPage)
  assert.match(body, /<code>text<\/code><\/th><td><code>plain</)
  assert.match(body, /<h3>Files<\/h3>/)
  assert.match(body, /Only the status of the response is recorded/)
  assert.doesNotMatch(body, /Representation|Validators/)
  assert.deepEqual(
    files.map(({ field, size }) => [field, size]),
    [
      ['page', 8],
      ['large', 100_000],
    ],
  )
  const download = (index: number) =>
    bin.read(`/requests/${captured?.id ?? ''}/files/${String(index)}`)
  const page = await download(1)
  assert.equal(page.body, '<script>')
  assert.equal(page.headers['content-type'], 'application/octet-stream')
  assert.match(String(page.headers['content-disposition']), /^attachment; filename="?b\.html/)
  assert.match(String(page.headers['content-security-policy']), /sandbox/)
  assert.equal((await download(2)).rawPayload.length, 100_000)
  assert.equal((await download(3)).statusCode, 404)
})

test('only the newest requests are kept, and the files of others are removed', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = { BIN_MAX_REQUESTS: '3', FILES_URL: `file:${join(folder, 'files')}` }
  const bin = await createBin(await testApp(t, { settings }))
  for (let number = 1; number <= 7; number += 1) {
    await bin.send(`/${String(number)}`, { method: 'POST', payload: Buffer.alloc(70_000) })
  }
  const paths = async (query = '') => (await bin.list(query)).map(({ path }) => path)
  assert.deepEqual(await paths(), ['/5', '/6', '/7'])
  assert.deepEqual(await paths('?sort=-receivedAt'), ['/7', '/6', '/5'])
  assert.equal((await readdir(join(folder, 'files'))).length, 3)
  await bin.read('', { method: 'DELETE' })
  assert.deepEqual(await readdir(join(folder, 'files')), [])
})

test('a request whose bin is removed while its body arrives gets 404, and leaves no file', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = { FILES_URL: `file:${join(folder, 'files')}` }
  const bin = await createBin(await testApp(t, { settings }))
  async function* removeBin() {
    yield Buffer.alloc(70_000)
    await bin.read('', { method: 'DELETE' })
  }
  const payload = Readable.from(removeBin())
  const headers = { 'content-length': '70000' }
  const { statusCode } = await bin.send('', { method: 'POST', headers, payload })
  assert.equal(statusCode, 404)
  assert.deepEqual(await readdir(join(folder, 'files')), [])
})

test('requests and all of them can be removed', async () => {
  const bin = await createBin(sharedApp())
  for (const path of ['/a', '/b', '/c']) await bin.send(path)
  const [first] = await bin.list()
  const url = `/requests/${first?.id ?? ''}`
  assert.equal((await bin.read(url, { method: 'DELETE' })).statusCode, 204)
  assert.equal((await bin.read(url)).statusCode, 404)
  assert.equal((await bin.list()).length, 2)
  assert.equal((await bin.read('/requests', { method: 'DELETE' })).statusCode, 204)
  assert.deepEqual(await bin.list(), [])
})

const removals: [what: string, path: (id: string) => string][] = [
  ['a request', (id) => `/requests/${id}`],
  ['all requests', () => '/requests'],
  ['the bin', () => ''],
]
for (const [what, toPath] of removals) {
  test(`the removal of ${what} leaves no row with a captured body`, async (t) => {
    const file = join(await temporaryFolder(t), 'vitrine.db')
    const bin = await createBin(await testApp(t, { settings: { DATABASE_URL: `sqlite:${file}` } }))
    await bin.send('/a', { method: 'POST', payload: 'needle' })
    const [{ id } = { id: '' }] = await bin.list()
    using database = new DatabaseSync(file, { readOnly: true })
    const tables = ['records', 'changes']
    const rows = () => tables.flatMap((name) => database.prepare(`SELECT * FROM ${name}`).all())
    assert.match(JSON.stringify(rows()), /needle/)
    assert.equal((await bin.read(toPath(id), { method: 'DELETE' })).statusCode, 204)
    assert.doesNotMatch(JSON.stringify(rows()), /needle/)
  })
}

test('a bin does not show the requests of another one', async () => {
  const app = sharedApp()
  const [one, other] = [await createBin(app), await createBin(app)]
  await one.send('/a')
  const [captured] = await one.list()
  assert.deepEqual(await other.list(), [])
  assert.equal((await other.read(`/requests/${captured?.id ?? ''}`)).statusCode, 404)
})

for (const url of ['/b', '/b/', '/b/x', '/b/x/y', '/b/%ff', '/b/0000000aaaaaaaaaaaaaaaaaaaa/']) {
  test(`${url} is no bin`, async () => {
    const { statusCode } = await sharedApp().inject({ method: 'POST', url })
    assert.ok(statusCode === 404 || statusCode === 410, String(statusCode))
  })
}

test('the name of a downloaded file is limited', async () => {
  const bin = await createBin(sharedApp())
  const fileName = `${'😀'.repeat(10_000)}.pdf`
  await bin.send('', { method: 'POST', ...asMultipart([{ name: 'a', fileName, content: 'a' }]) })
  const [captured] = await bin.list()
  const { statusCode, headers } = await bin.read(`/requests/${captured?.id ?? ''}/files/1`)
  assert.equal(statusCode, 200)
  const disposition = String(headers['content-disposition'])
  assert.match(disposition, /%F0%9F%98%80\.pdf$/)
  assert.ok(disposition.length < 4096)
})
