import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { setImmediate } from 'node:timers/promises'
import type { InjectOptions } from 'fastify'
import { createBin } from '../../../test/support/bins.ts'
import { asMultipart } from '../../../test/support/multipart-form.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'
import { until } from '../../../test/support/until.ts'
import { toMatch } from './search.ts'

const sharedApp = useApp()

const file = {
  name: 'upload',
  fileName: 'Rechnung ü.pdf',
  content: Buffer.from('%PDF \xff\xe9\0', 'latin1'),
}
const upload = asMultipart([{ name: 'note', content: 'café au lait' }, file])
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const searches: [what: string, words: string, sent: InjectOptions, path?: string][] = [
  ['a field of a form with a file', 'CAFÉ au', upload],
  ['the name of a file', 'rechnung ü', upload],
  ['text between bytes', '%pdf', upload],
  ['a body in Latin-1', 'é', { payload: Buffer.from('caf\xe9', 'latin1') }],
  ['a form', 'note=café au lait', { headers: form, payload: 'a=%&note=caf%C3%A9+au+lait' }],
  ['a form as it was sent', 'caf%c3%a9', { headers: form, payload: 'note=caf%C3%A9' }],
  ['JSON with escapes', 'https://é', { payload: String.raw`{"url":"https:\/\/\u00e9"}` }],
  ...['gzip', 'x-gzip'].map((coding): (typeof searches)[number] => [
    `a body in ${coding}`,
    'paid',
    { headers: { 'content-encoding': coding }, payload: gzipSync('paid') },
  ]),
  ['a query string', 'café', {}, '/?note=caf%C3%A9'],
]
for (const [what, words, sent, path] of searches) {
  test(`a search finds ${what}`, async () => {
    const bin = await createBin(sharedApp())
    await bin.send(path, { method: 'POST', ...sent })
    assert.equal((await bin.list(`?contains=${encodeURIComponent(words)}`)).length, 1)
    assert.equal((await bin.list(`?contains=${encodeURIComponent(words)}x`)).length, 0)
  })
}

for (const [what, response] of [
  ['a delay', { status: 201, delay: 0.3 }],
  ['pauses', { status: 201, body: 'abcd', chunk_size: 1, pause: 0.1 }],
  ['a delay in a sequence', { sequence: [{ status: 201, delay: 0.3 }] }],
  ['a fault in the body', { status: 201, fault: 'stall', seconds: 0.3, body: 'ab' }],
] as const) {
  test(`a filter of the status selects a response with ${what} when it has ended`, async (t) => {
    const app = await testApp(t)
    const bin = await createBin(app, response)
    const origin = await app.listen({ port: 0 })
    const start = performance.now()
    const sent = fetch(`${origin}/b/${bin.id}`)
      .then((one) => one.text())
      .catch(() => undefined)
    const [found] = await bin.list('?wait=60&status=201')
    // Not from the time of its id, which another test in this process may have moved.
    const ms = performance.now() - start
    // A timer can be a millisecond early.
    assert.ok(ms > 290, `${String(ms)} ms after the request`)
    assert.deepEqual([found?.status, found?.isPending], [201, undefined])
    await sent
  })
}

test('a response that takes time is pending, and no filter of the response selects it before its end', async (t) => {
  const app = await testApp(t, { settings: { MAX_DURATION_SECONDS: '60' } })
  const bin = await createBin(app, { status: 201, delay: 50 })
  const origin = await app.listen({ port: 0 })
  const leaving = new AbortController()
  const sent = fetch(`${origin}/b/${bin.id}`, { signal: leaving.signal }).catch(() => undefined)
  const [first] = await bin.list('?wait=40')
  assert.deepEqual([first?.status, first?.isPending], [201, true])
  for (const filter of [
    'status=201',
    'status:ne=500',
    'status:gte=200',
    'isCutOff=false',
    'fault:ne=stall',
  ])
    assert.deepEqual(await bin.list(`?${filter}`), [], filter)
  await bin.read('/requests?status=2xx', { method: 'DELETE' })
  assert.equal((await bin.list()).length, 1)
  leaving.abort()
  await sent
  await until(async () => (await bin.list())[0]?.isPending === undefined)
  assert.equal((await bin.list())[0]?.isCutOff, true)
})

test('other requests are handled during a search', async () => {
  const bin = await createBin(sharedApp())
  const payload = 'é%41+'
  for (let count = 0; count < 50; count += 1) await bin.send('', { method: 'POST', payload })
  const paths = ['/requests', '/requests.har', '']
  for (const path of paths.flatMap((one) => [
    `${one}?wait=1&contains=no+such`,
    `${one}?path=no+such`,
  ])) {
    let [turns, isOver] = [0, false]
    const headers = { accept: path.startsWith('?') ? 'text/html' : '*/*' }
    const search = bin.read(path, { headers }).finally(() => {
      isOver = true
    })
    for (; !isOver; turns += 1) await setImmediate()
    assert.equal((await search).statusCode, 200)
    assert.ok(turns > 50, `${path}: ${String(turns)} turns`)
  }
})

test('a request is decoded once for all that wait for it', async () => {
  const bin = await createBin(sharedApp())
  await bin.send('/?a=%41')
  const [captured] = await bin.list()
  assert.ok(captured)
  let reads = 0
  const request = {
    ...captured,
    bin: bin.id,
    isInFile: false,
    httpVersion: '1.1',
    origin: '',
    ms: 0,
    get target() {
      reads += 1
      return captured.target
    },
  }
  const matches = ['A', 'no such text', 'a=a'].map((contains) => toMatch({ contains }))
  const results = await Promise.all(matches.map((isMatch) => isMatch(request)))
  assert.deepEqual([results, reads], [[true, false, true], 1])
})

test('a page and a comparison have a compressed body decoded, and a download has it as sent', async () => {
  const bin = await createBin(sharedApp())
  for (const id of [1, 2]) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    await bin.send('', { method: 'POST', headers, payload: gzipSync(JSON.stringify({ id })) })
  }
  const [a, b] = await bin.list()
  assert.ok(a && b)
  const page = await bin.read(`/requests/${a.id}`, { headers: { accept: 'text/html' } })
  assert.match(page.body, /Decoded\./)
  const json = { accept: 'application/json' }
  const { body } = await bin.read(`/diff?a=${a.id}&b=${b.id}`, { headers: json })
  assert.match(body, /\{"kind":"removed","text":" *\\"id\\": 1"\}/)
  const { rawPayload } = await bin.read(`/requests/${a.id}/body`)
  assert.deepEqual(rawPayload, gzipSync('{"id":1}'))
})

test('a body that was compressed twice is decoded once', async () => {
  const bin = await createBin(sharedApp())
  const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
  await bin.send('', { method: 'POST', headers, payload: gzipSync(gzipSync('inner text')) })
  const [captured] = await bin.list()
  const page = await bin.read(`/requests/${captured?.id ?? ''}`, {
    headers: { accept: 'text/html' },
  })
  assert.match(page.body, /Shown in hexadecimal notation\. Decoded\./)
  assert.doesNotMatch(page.body, /inner text/)
})

test('of a form with many fields the first 500 are shown', async () => {
  const bin = await createBin(sharedApp())
  const headers = { ...form, 'content-encoding': 'br' }
  const payload = brotliCompressSync('&a'.repeat(32_768))
  await bin.send('', { method: 'POST', headers, payload })
  const [captured] = await bin.list()
  const page = await bin.read(`/requests/${captured?.id ?? ''}`, {
    headers: { accept: 'text/html' },
  })
  assert.match(page.body, /32,268 more are not shown\./)
  assert.ok(page.body.length < 500_000, String(page.body.length))
})

for (const [payload, isShown] of [
  ['not gzip', true],
  [gzipSync('text'), false],
] as const) {
  test(`the page ${isShown ? 'says' : 'does not say'} that a body could not be decoded`, async () => {
    const bin = await createBin(sharedApp())
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
    await bin.send('', { method: 'POST', headers, payload })
    const [captured] = await bin.list()
    const url = `/requests/${captured?.id ?? ''}`
    const { body } = await bin.read(url, { headers: { accept: 'text/html' } })
    assert.equal(body.includes('is gzip, but the body could not be decoded'), isShown)
  })
}
