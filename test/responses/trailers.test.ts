import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { createBin, type Captured } from '../support/bins.ts'
import { sendRaw } from '../support/watched-vitrine.ts'
import { findExchange } from '../support/recorded.ts'
import { openFaults, openSession, type Listening } from './read-faults.ts'

type Fields = readonly (readonly [name: string, value: string])[]

const binSecret = `vbs_${'a'.repeat(32)}`
const trailers: Fields = [
  ['X-Sum', '6'],
  ['X-Sum', '7'],
  ['X-Api-Key', 'topsecret'],
  ['X-Link', `/?token=topsecret&a=${binSecret}`],
  ['Cookie', 'session=topsecret; a=b'],
  ['Constructor', '1'],
]

function toMessage(path: string, fields: Fields, id: string = randomUUID()): string {
  const lines = ['Host: localhost', 'Connection: close', `X-Request-Id: ${id}`]
  const head = [`POST ${path} HTTP/1.1`, ...lines, 'Transfer-Encoding: chunked'].join('\r\n')
  const end = fields.map((field) => `${field.join(': ')}\r\n`).join('')
  return `${head}\r\n\r\n3\r\nabc\r\n0\r\n${end}\r\n`
}

/** Returns the content of the response. */
async function send(t: TestContext, { origin }: Listening, path: string, id: string) {
  if (origin.startsWith('http:')) {
    const { text } = await sendRaw(origin, toMessage(path, trailers, id))
    return text.slice(text.indexOf('\r\n\r\n') + 4)
  }
  const headers = { ':method': 'POST', ':path': path, 'x-request-id': id }
  const stream = openSession(t, origin).request(headers, { waitForTrailers: true })
  const values = Map.groupBy(trailers, ([name]) => name)
  stream.on('wantTrailers', () => {
    const given = [...values].map(([name, fields]) => [name, fields.map(([, value]) => value)])
    stream.sendTrailers(Object.fromEntries(given) as Record<string, string[]>)
  })
  return String(await buffer(stream.end('abc')))
}

for (const isTls of [false, true]) {
  const version = isTls ? 'HTTP/2.0' : 'HTTP/1.1'
  const toReceived = (fields: Fields) =>
    fields.map(([name, value]) => [isTls ? name.toLowerCase() : name, value])

  test(`the echo of a request over ${version} ends with its trailers`, async (t) => {
    const text = await send(t, await openFaults(t, isTls), '/responses/echo', randomUUID())
    const lines = toReceived(trailers).map((field) => `${field.join(': ')}\r\n`)
    const echoed = lines.join('').replace('session=topsecret; ', '')
    assert.equal(text.slice(text.indexOf('\r\n\r\n')), `\r\n\r\nabc\r\n${echoed}`)
  })

  for (const path of ['/responses/echo', '/responses/echo?a=%C3%A9', '/users/post']) {
    test(`the exchange of ${path} over ${version} has the trailers with masks`, async (t) => {
      const listening = await openFaults(t, isTls)
      const id = randomUUID()
      await send(t, listening, path, id)
      const exchange = await findExchange(listening.app, id)
      const shown = toReceived([
        ...trailers.slice(0, 2),
        ['X-Api-Key', '••••••'],
        ['X-Link', '/?token=••••••&a=••••••'],
        ['Cookie', '••••••'],
        ['Constructor', '1'],
      ])
      assert.deepEqual(exchange.requestTrailerFields, shown)
      for (const suffix of ['', '.har', '.http']) {
        const url = `/inspector/${exchange.id}${suffix}`
        for (const accept of ['text/html', 'application/json']) {
          const { body } = await listening.app.inject({ url, headers: { accept } })
          assert.doesNotMatch(body, /topsecret|vbs_a/)
        }
      }
      const headers = { accept: 'text/html' }
      const page = await listening.app.inject({ url: `/inspector/${exchange.id}`, headers })
      assert.match(page.body, /<h2>Trailers<\/h2>.*X-Sum<.*<code>7<.*Its trailers are left out/is)
      const har = await listening.app.inject(`/inspector/${exchange.id}.har`)
      const { log } = har.json<{ log: { entries: { request: { _trailers: object } }[] } }>()
      const pairs = shown.map(([name, value]) => ({ name, value }))
      assert.deepEqual(log.entries[0]?.request._trailers, pairs)
    })
  }

  test(`a bin captures the trailers of a request over ${version}`, async (t) => {
    const listening = await openFaults(t, isTls)
    const bin = await createBin(listening.app)
    await send(t, listening, `/b/${bin.id}/x`, randomUUID())
    const found = await bin.read('/requests?contains=x-sum:+7')
    const [captured] = found.json<Captured[]>()
    assert.deepEqual(
      captured?.requestTrailerFields,
      toReceived(
        trailers.map(([name, value]) => [
          name,
          value.replace(binSecret, 'vbs_***').replace('session=topsecret; ', ''),
        ]),
      ),
    )
    const path = `/requests/${captured.id}`
    const page = await bin.read(path, { headers: { accept: 'text/html' } })
    assert.match(page.body, /<h2>Trailers<\/h2>.*X-Sum<.*<code>7</is)
    assert.match((await bin.read('/requests.har')).body, /"_trailers":\[\{"name":"X-Sum"/i)
  })
}

test('a request without trailers has none', async (t) => {
  const { app, origin } = await openFaults(t)
  const id = randomUUID()
  const { text } = await sendRaw(origin, toMessage('/responses/echo', [], id))
  assert.match(text, /\r\n\r\nabc$/)
  assert.equal('requestTrailerFields' in (await findExchange(app, id)), false)
})

test('two exchanges differ in their trailers', async (t) => {
  const { app, origin } = await openFaults(t)
  const ids = await Promise.all(
    ['1', '2'].map(async (value) => {
      const id = randomUUID()
      await sendRaw(origin, toMessage('/responses/echo/body', [['X-T', value]], id))
      return (await findExchange(app, id)).id
    }),
  )
  const headers = { accept: 'application/json' }
  const url = `/inspector/diff?a=${ids.join('&b=')}`
  const { parts } = (await app.inject({ url, headers })).json<{ parts: { name: string }[] }>()
  const names = parts.map(({ name }) => name).filter((name) => /trailers/i.test(name))
  assert.deepEqual(names, ['Request trailers'])
  assert.match(JSON.stringify(parts), /"removed","text":"x-t: 1"/)
})

test('a trailer does not replace the host', async (t) => {
  const { origin } = await openFaults(t)
  const { text } = await sendRaw(origin, toMessage('/responses/echo', [['Host', 'evil.example']]))
  assert.match(text, / 200 [^]*Host: localhost\r\n[^]*\r\nabc\r\nHost: evil.example\r\n$/)
})

const malformed: readonly (readonly [what: string, fields: Fields, status: number])[] = [
  ['with a length', [['Content-Length', '3']], 400],
  ['with a transfer coding', [['Transfer-Encoding', 'chunked']], 400],
  ['with a null character', [['X-T', '\0']], 400],
  ['with a space in its name', [['X T', '1']], 400],
  ['of 20 KB', [['X-T', 'x'.repeat(20_000)]], 431],
  ['of 5,000 fields', Array.from({ length: 5000 }, () => ['X', 'y'] as const), 431],
]
for (const path of ['/responses/echo', '/users/post']) {
  for (const [what, fields, status] of malformed) {
    test(`${path} gets ${String(status)} for a trailer ${what}`, async (t) => {
      const { origin } = await openFaults(t)
      assert.deepEqual((await sendRaw(origin, toMessage(path, fields))).statuses, [status])
    })
  }
}
