import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from './support/start-vitrine.ts'
import { useWatched } from './support/watched-vitrine.ts'

const run = promisify(execFile)
const watched = useWatched()

/** Sends a request with curl; `\n` and the status code follow the body. */
async function curl(...args: string[]): Promise<string> {
  const { stdout } = await run('curl', ['-sS', '-w', '\n%{http_code}', ...args])
  return stdout
}

async function createUser(origin: string): Promise<string> {
  const body = new URLSearchParams({ name: 'Ann', password: 'secret' })
  const response = await fetch(`${origin}/people`, { method: 'POST', body })
  return origin + (response.headers.get('location') ?? '')
}

test('curl sends forms, JSON and text of any characters', async () => {
  const { origin } = watched()
  const text = '100% “glass” & more = ✓ 😀'
  assert.equal(
    await curl(`${origin}/mirror/field`, '--data-urlencode', `a=${text}`),
    `${text}\n200`,
  )
  const json = JSON.stringify({ text })
  assert.equal(await curl(`${origin}/users/post`, '--json', json), `${json}\n200`)
  const raw = ['-H', 'Content-Type: text/plain', '--data-binary', text]
  assert.equal(await curl(`${origin}/users/post/raw`, ...raw), `${JSON.stringify(text)}\n200`)
  assert.equal(
    await curl('-G', `${origin}/mirror/query`, '--data-urlencode', `a=${text}`),
    `a: ${text}\n\n200`,
  )
})

test('curl sends a real file beside text fields', async (t) => {
  const { origin } = watched()
  const file = join(await temporaryFolder(t), 'ünicode "quoted".bin')
  await writeFile(file, randomBytes(3_000_000))
  const form = ['-F', 'colour=grün', '-F', `pic=@"${file.replaceAll('"', '\\"')}"`, '-F', 'size=3']
  assert.equal(
    await curl(`${origin}/users/post/formdata`, ...form),
    '{"colour":"grün","size":"3"}\n200',
  )
})

test('curl uploads in chunks, without a length', async () => {
  const { origin } = watched()
  const chunked = ['-H', 'Transfer-Encoding: chunked', '-d', 'a=in+chunks']
  assert.equal(await curl(`${origin}/mirror/field`, ...chunked), 'in chunks\n200')
})

test('HTTP/1.0 gets a response, and its connection is closed', async () => {
  const { origin } = watched()
  await createUser(origin)
  const response = await curl(
    '--http1.0',
    '-i',
    '-H',
    'Accept: application/json',
    `${origin}/people`,
  )
  assert.match(response, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(response, /^Connection: close\r$/im)
  // A list has no length in advance, and HTTP/1.0 has no chunks.
  assert.doesNotMatch(response, /^Transfer-Encoding/im)
  assert.match(response, /"name":"Ann"/)
})

test('one connection carries many requests, some with a method override', async () => {
  const { origin } = watched()
  const user = await createUser(origin)
  const { stdout } = await run('curl', [
    ...['-sS', '-w', '%{http_code} %{num_connects}\n', '-o', '/dev/null', user],
    ...['--next', '-sS', '-w', '%{http_code} %{num_connects}\n', '-o', '/dev/null'],
    ...['-X', 'POST', '-H', 'X-HTTP-Method-Override: HEAD', user],
    ...['--next', '-sS', '-w', '%{http_code} %{num_connects}\n', '-o', '/dev/null'],
    ...['-d', '_method=PATCH&name=Anna', user],
    ...['--next', '-sS', '-w', '%{http_code} %{num_connects}\n', '-H', 'Accept: text/plain', user],
  ])
  assert.match(stdout, /^200 1\n200 0\n200 0\n_id: .*\nname: Anna\n[^]*200 0\n$/)
})

test('fetch creates, reads, changes and deletes a user', async () => {
  const { origin } = watched()
  const user = await createUser(origin)
  const json = { accept: 'application/json', 'content-type': 'application/json' }
  const patched = await fetch(user, { method: 'PATCH', headers: json, body: '{"name":"Anna"}' })
  const data = { redirect: new URL(user).pathname }
  assert.deepEqual(await patched.json(), { data, status: { code: 0, msg: 'delete success' } })
  const read = await fetch(user, { headers: json })
  assert.equal(((await read.json()) as { name: string }).name, 'Anna')
  assert.equal((await fetch(user, { method: 'DELETE' })).status, 200)
  assert.equal((await fetch(user)).status, 404)
})

test('fetch follows the redirect of a form', async () => {
  const { origin } = watched()
  const user = await createUser(origin)
  const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ _method: 'PATCH', name: 'Anna', password: '' })
  const response = await fetch(`${user}/`, { method: 'POST', headers, body })
  assert.equal(response.url, user)
  assert.match(await response.text(), /<h1>Anna<\/h1>/)
})

/** Writes `pieces` to a socket, each only after the one before has left, and reads to the end. */
async function sendPieces(
  t: TestContext,
  origin: string,
  pieces: readonly string[],
): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString()
  })
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve))
  }
  await once(socket, 'close')
  return received
}

test('a request in pieces, and two at once, get a response in order', async (t) => {
  const { origin } = watched()
  const body = 'a=first&_method=POST'
  const received = await sendPieces(t, origin, [
    `PUT /mirror/fi`,
    `eld HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n`,
    `Content-Length: ${String(body.length)}\r\n\r\n${body.slice(0, 5)}`,
    `${body.slice(5)}GET /mirror/query?a=second HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  ])
  const [first = '', second = '', ...more] = received.split(/(?<=.)(?=HTTP\/1\.1 )/s)
  assert.match(first, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nfirst$/)
  assert.match(second, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\na: second\n$/)
  assert.deepEqual(more, [])
})

test('malformed HTTP is rejected with 400 and the next client is served', async (t) => {
  const { origin } = watched()
  for (const nonsense of ['\x16\x03\x01\x02', 'GET / HTTP/9.9\r\n\r\n', 'FOO / HTTP/1.1\r\n\r\n']) {
    await t.test(nonsense, async () => {
      assert.match(await sendPieces(t, origin, [nonsense]), /^HTTP\/1\.1 400 /)
    })
  }
  assert.equal((await fetch(`${origin}/health`)).status, 200)
})
