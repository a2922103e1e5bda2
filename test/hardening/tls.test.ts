import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import {
  connect as connectHttp2,
  type ClientHttp2Session,
  type ServerHttp2Session,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/start-vitrine.ts'
import { testApp } from '../support/test-app.ts'
import { curl, makeCertificate, startSecure } from '../support/tls-client.ts'
import { useWatched } from '../support/watched-vitrine.ts'

const versions = ['--http1.1', '--http2'] as const
const secure = useWatched({}, startSecure)

for (const version of versions) {
  test(`forms, JSON, overrides and uploads work over HTTPS with ${version}`, async () => {
    const { origin, assertSound } = secure()
    const json = ['-H', 'Accept: application/json']
    const send = async (path: string, ...args: readonly string[]) =>
      curl(version, ...args, origin + path)

    const home = await send('/')
    assert.equal(home.status, 200)
    assert.ok(home.head.startsWith(version === '--http2' ? 'HTTP/2 ' : 'HTTP/1.1 '), home.head)
    assert.match(home.head, /^strict-transport-security: max-age=\d+/im)

    const fields = ['--json', '{"name":"Ann","password":"secret"}']
    const created = await send('/people', ...fields, ...json)
    assert.equal(created.status, 201, created.body)
    const { _id: id } = JSON.parse(created.body) as { _id: string }
    assert.equal((await send('/mirror/field', '-d', 'a=by+form')).body, 'by form')
    assert.equal((await send('/users/post', '--json', '[1]')).body, '[1]')

    const overridden = await send(`/people/${id}`, '-d', '_method=PATCH&name=Anna', ...json)
    assert.match(overridden.body, /delete success/)
    const head = await send('/mirror/query?a=1', '-H', 'X-HTTP-Method-Override: HEAD', '-d', 'a=1')
    assert.deepEqual([head.status, head.body], [200, ''])
    assert.equal((await send('/health', '-I')).status, 200)
    assert.equal((await send(`/people/${id}?_method=DELETE`, '-d', '')).status, 200)
    assert.equal((await send(`/people/${id}`)).status, 404)

    const uploaded = await send('/profile', '-F', 'upfiles=@package.json')
    assert.equal(uploaded.status, 200, uploaded.body)
    const at = /^location: (\S+)/im.exec(uploaded.head)?.[1] ?? assert.fail(uploaded.head)
    const file = await send(at)
    assert.match(file.body, /"name": "vitrine"/)
    assert.match(file.head, /^content-disposition: attachment/im)
    assert.match(file.head, /^strict-transport-security: /im)

    assert.equal((await send('/nowhere')).status, 404)
    assert.equal((await send('/people/%ff')).status, 400)
    const expecting = ['-H', 'Expect: 100-continue', '-d', 'x'] as const
    assert.equal((await send('/%zz', ...expecting)).status, 400)
    assert.equal((await send('/people/%ff', '-X', 'PUT', ...expecting)).status, 400)
    assert.equal((await send('/mirror/query', '-X', 'PUT')).status, 405)
    assert.equal((await send('/mirror/query', '-X', 'TRACE')).status, 405)
    assert.equal((await send(`/mirror/query?a=${'x'.repeat(9000)}`)).status, 414)
    await assertSound()
  })

  test(`the session cookie is Secure and has its prefix over HTTPS with ${version}`, async (t) => {
    const { origin, assertSound } = secure()
    await curl(version, '--json', '{"name":"Ann","password":"secret"}', `${origin}/users`)
    const login = await curl(version, '-d', 'username=Ann&password=secret', `${origin}/login`)
    assert.equal(login.status, 200, login.body)
    const cookie = /^set-cookie: (.+)$/im.exec(login.head)?.[1] ?? assert.fail(login.head)
    assert.match(cookie, /^__Host-session=[\w-]{43};/)
    for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/']) {
      await t.test(attribute, () => {
        assert.ok(cookie.includes(attribute), cookie)
      })
    }
    assert.doesNotMatch(cookie, /Domain/i)
    const pair = cookie.split(';', 1)[0] ?? ''
    const json = ['-H', 'Accept: application/json']
    const shown = await curl(version, ...json, '-H', `Cookie: ${pair}`, `${origin}/session`)
    assert.match(shown.body, /"authenticated":true/)
    const bare = pair.replace('__Host-', '')
    const unprefixed = await curl(version, ...json, '-H', `Cookie: ${bare}`, `${origin}/session`)
    assert.match(unprefixed.body, /"authenticated":false/)
    await assertSound()
  })

  test(`only the https origin may write over HTTPS with ${version}`, async (t) => {
    const { origin, assertSound } = await startSecure(t, { CORS_ORIGINS: 'none' })
    const { host, port } = new URL(origin)
    const rows: [status: number, origin: string][] = [
      [200, origin],
      [403, `http://${host}`],
      [403, `https://127.0.0.1:${String(Number(port) + 1)}`],
      [403, 'https://127.0.0.1'],
      [403, 'https://evil.example'],
      [403, 'null'],
    ]
    for (const [expected, name] of rows) {
      await t.test(name, async () => {
        const args = [version, '-d', 'a=1', '-H', `Origin: ${name}`, `${origin}/mirror/field`]
        assert.deepEqual([name, (await curl(...args)).status], [name, expected])
      })
    }
    await assertSound()
  })

  test(`a body that is too large gets 413 over HTTPS with ${version}`, async (t) => {
    const settings = { MAX_BODY_BYTES: '1000', MAX_UPLOAD_BYTES: '1000' }
    const { origin, assertSound } = await startSecure(t, settings)
    const file = join(await temporaryFolder(t), 'large.bin')
    for (const size of [20_000, 3_000_000]) {
      await t.test(String(size), async () => {
        await writeFile(file, 'x'.repeat(size))
        const cases = [
          ['--data-binary', `@${file}`, '/mirror/field'],
          ['--json', `@${file}`, '/people'],
          ['-H', 'Expect:', '--json', `@${file}`, '/users/post'],
          ['-F', `upfiles=@${file}`, '/profile'],
          ['-F', `pic=@${file}`, '/users/post/formdata'],
          ['-T', file, '-X', 'POST', '-H', 'Content-Type: text/plain', '/users/post/raw'],
        ]
        for (const args of cases) {
          const { status } = await curl(version, ...args.slice(0, -1), origin + (args.at(-1) ?? ''))
          assert.equal(status, 413, `${args.join(' ')} of ${String(size)}`)
        }
      })
    }
    await assertSound()
  })
}

/** Sends requests over one HTTP/2 connection: the headers of the response, undefined when a stream is reset. */
function openHttp2(t: TestContext, origin: string) {
  const session = connectHttp2(origin, { rejectUnauthorized: false })
  // The process can end before the connection.
  session.on('error', () => undefined)
  t.after(() => {
    session.destroy()
  })
  return async (fields: Record<string, string>) => {
    const stream = session.request(fields)
    stream.on('error', () => undefined)
    const closed = new Promise((resolve) => stream.once('close', resolve))
    let headers: Record<string, unknown> | undefined
    stream.once('response', (received: Record<string, unknown>) => {
      headers = received
    })
    stream.end()
    stream.resume()
    await closed
    return headers
  }
}

test('every status code and every method can be requested over HTTP/2', async (t) => {
  const { origin, assertSound } = secure()
  const send = openHttp2(t, origin)
  for (let code = 200; code <= 599; code += 1) {
    for (const method of ['GET', ...(code % 10 === 0 ? ['HEAD', 'POST', 'PUT', 'DELETE'] : [])]) {
      const headers = await send({ ':path': `/mirror/status/${String(code)}`, ':method': method })
      assert.equal(headers?.[':status'], code, `${method} ${String(code)}`)
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  }
  await assertSound()
})

test('malformed requests are rejected over HTTP/2, too', async (t) => {
  const { origin, assertSound } = secure()
  const send = openHttp2(t, origin)
  const get = { ':path': '/health', ':method': 'GET' }
  const rows: [fields: Record<string, string>, allowed: number[]][] = [
    ...['FOO', 'get', 'TRACE', 'QUERY', 'PROPFIND'].map(
      (method): [Record<string, string>, number[]] => [
        { ...get, ':method': method },
        [400, 405, 501],
      ],
    ),
    [{ ':method': 'CONNECT', ':authority': 'example.org:443' }, [501]],
    ...['*', 'health', '/%', '/%ff', '/a b'].map((path): [Record<string, string>, number[]] => [
      { ...get, ':path': path },
      [400, 404, 405],
    ]),
    [{ ...get, ':path': `/${'x'.repeat(9000)}` }, [414]],
    ...['', 'a b', 'a@b', 'http://x', 'x:port', '[::1'].map(
      (name): [Record<string, string>, number[]] => [{ ...get, ':authority': name }, [400]],
    ),
    [{ ...get, ':authority': 'a.example', host: 'b.example' }, [400]],
    [{ ...get, ':authority': 'a.example', host: 'a.example' }, [200]],
    [{ ...get, x: 'y'.repeat(20_000) }, [431]],
    [{ ...get, __proto: 'x', constructor: 'x' }, [200]],
    [{ ...get, cookie: '=;a;%ff=%;'.repeat(500) }, [200]],
  ]
  for (const [fields, allowed] of rows) {
    const what = JSON.stringify(fields).slice(0, 100)
    await t.test(what, async () => {
      const headers = await send(fields)
      // A stream that is reset as malformed has no response (RFC 9113 §8.1.1).
      if (headers !== undefined)
        assert.ok(
          allowed.includes(Number(headers[':status'])),
          `${what}: ${String(headers[':status'])}`,
        )
    })
  }
  await assertSound()
})

/** How far a request has come when its connection is lost. */
const stages: Record<string, (client: ClientHttp2Session, app: FastifyInstance) => unknown> = {
  'before its head': (_, app) => once(app.server, 'session'),
  'behind its head': (_, app) => once(app.server, 'stream'),
  // The response to a ping comes behind all frames that were sent before it.
  'behind its first bytes': async (client, app) => {
    await once(app.server, 'stream')
    await promisify(client.ping.bind(client))()
  },
}

for (const [stage, arrive] of Object.entries(stages)) {
  test(`a body cut off by a lost HTTP/2 connection ${stage} creates no record`, async (t) => {
    const app = await testApp(t, { settings: await makeCertificate(t) })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const session = once(app.server, 'session')
    const client = connectHttp2(`https://127.0.0.1:${String(port)}`, { rejectUnauthorized: false })
    client.on('error', () => undefined)
    const request = client.request({
      ':method': 'POST',
      ':path': '/places',
      'content-type': 'application/x-www-form-urlencoded',
    })
    request.on('error', () => undefined)
    request.write('name=Alex&latitude=1&longitude=1')
    await arrive(client, app)
    client.destroy()
    const [received] = (await session) as [ServerHttp2Session]
    if (!received.destroyed) await once(received, 'close')
    const places = await app.inject({ url: '/places', headers: { accept: 'application/json' } })
    assert.deepEqual(places.json(), [])
  })
}
