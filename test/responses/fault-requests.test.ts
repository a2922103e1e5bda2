import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/config.ts'
import { catalogueApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'
import { openFaults, openSocket, readToEnd } from './read-faults.ts'

const rejected = {
  'no-such-fault': [404, /There is no fault "no-such-fault"\. The faults are reset-before-head, /],
  constructor: [404, /There is no fault "constructor"/],
  'stall?seconds=11': [400, /seconds is too long: the response must take at most 10 seconds/],
  'stall?seconds=6&delay=6': [400, /at most 10 seconds/],
  'stall?seconds=-1': [400, /seconds must be/],
  'stall?seconds=NaN': [400, /seconds must be/],
  'stall?seconds=1&seconds=2': [400, /seconds is given more than once/],
  'stall?status=199': [400, /status must be/],
  'stall?fault=garbage': [400, /fault is given more than once/],
  'stall?close=true': [400, /fault cannot be used with close, trailers or framing close/],
  'stall?framing=close': [400, /fault cannot be used with close, trailers or framing close/],
  'bad-chunk?chunk_size=2': [
    400,
    /fault cannot be used with close, trailers, chunk_size or framing/,
  ],
  'stall?chunk_size=2&pause=6': [400, /at most 10 seconds/],
  'stall?body=1&json=2': [400, /json cannot be used with body/],
  stall: [501, /The fault stall requires a connection/],
} as const

test('a request for a fault that cannot be sent gets an error', async (t) => {
  const app = await catalogueApp(t)
  for (const [path, [status, text]] of Object.entries(rejected)) {
    await t.test(path, async () => {
      const response = await app.inject(`/responses/fault/${path}`)
      assert.equal(response.statusCode, status)
      assert.match(response.body, text)
    })
  }
})

test('RESPONSE_FAULTS=off disables faults, also in descriptions', async (t) => {
  const { origin } = await openFaults(t, false, { RESPONSE_FAULTS: 'off' })
  const payload = JSON.stringify({ fault: 'garbage' })
  const given = { method: 'POST', body: payload }
  for (const [path, options] of [
    ['/responses/fault/garbage', {}],
    ['/responses/custom?fault=stall', {}],
    ['/responses/custom', given],
  ] as const) {
    await t.test(path, async () => {
      const response = await fetch(origin + path, options)
      assert.equal(response.status, 403)
      assert.match(await response.text(), /RESPONSE_FAULTS=on/)
    })
  }
})

test('PRESET=public disables faults unless they are enabled', () => {
  const PRESET = 'public'
  const names = ['responses']
  assert.equal(loadConfig({}, names).responseFaults, true)
  assert.equal(loadConfig({ PRESET }, names).responseFaults, false)
  assert.equal(loadConfig({ PRESET, RESPONSE_FAULTS: 'on' }, names).responseFaults, true)
})

const wholeHead = 'HTTP/1.1 503 Service Unavailable\r\n'
const withoutFault = {
  'HEAD reset-in-body': ['HEAD /responses/fault/reset-in-body?status=503', ''],
  'HEAD short-body': ['HEAD /responses/fault/short-body?status=503', ''],
  'HEAD slow-head': ['HEAD /responses/fault/slow-head?status=503&seconds=0.1', ''],
  'HEAD endless-body': ['HEAD /responses/fault/endless-body?status=503', ''],
  'GET stall': ['GET /responses/fault/stall?status=503&seconds=0.1&json=%5B1%5D', '[1]'],
} as const

test('a response without a body has no fault in it, and a stalled body arrives whole', async (t) => {
  const { origin } = await openFaults(t)
  for (const [name, [line, body]] of Object.entries(withoutFault)) {
    await t.test(name, async () => {
      const socket = openSocket(origin)
      // Behind it, the connection can be used again, unless the head was written byte by byte.
      const last = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
      socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\n\r\n${last}`)
      const { text, end } = await readToEnd(socket)
      assert.ok(text.startsWith(wholeHead), text)
      const start = text.indexOf('\r\n\r\n') + 4
      const rest = text.slice(start)
      if (name === 'HEAD slow-head') assert.equal(rest, '')
      else assert.match(rest, new RegExp(`^${body.replace(/\W/g, '\\$&')}HTTP/1\\.1 200 OK\r\n`))
      assert.equal(end, 'closed')
    })
  }
})

test('304 and 204 have no body that could have a fault', async (t) => {
  const { origin } = await openFaults(t)
  for (const status of [204, 304]) {
    const response = await fetch(`${origin}/responses/fault/short-body?status=${String(status)}`)
    assert.deepEqual([response.status, await response.text()], [status, ''])
  }
})

test('a fault has the described status, headers, cookies and delay', async (t) => {
  const { origin } = await openFaults(t)
  const query = new URLSearchParams({
    status: '429',
    header: 'Retry-After: 3',
    cookie: 'a=1; Domain=x',
    delay: '0.1',
    json: '{"a":1}',
    early_hint: 'Link: </a>',
  }).toString()
  for (const name of ['short-body', 'slow-head', 'reset-in-head']) {
    await t.test(name, async () => {
      const socket = openSocket(origin)
      const target = `/responses/fault/${name}?seconds=0.1&${query}`
      socket.write(`POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc`)
      const { text } = await readToEnd(socket)
      assert.match(text, /^HTTP\/1\.1 103 Early Hints\r\n(.+\r\n)+\r\nHTTP\/1\.1 429 Too Many/)
      if (name === 'reset-in-head') return
      for (const line of [
        'Retry-After: 3',
        'Content-Type: application/json',
        'Set-Cookie: a=1; Path=/responses',
        'Content-Security-Policy: sandbox',
        'X-Content-Type-Options: nosniff',
        'Access-Control-Allow-Origin: \\*',
        'Content-Length: 7',
      ])
        assert.match(text, new RegExp(`\r\n${line}\r\n`, 'i'))
    })
  }
})

test('the head arrives in small parts', async (t) => {
  const { origin } = await openFaults(t, false, { MAX_DURATION_SECONDS: '3600' })
  const socket = openSocket(origin)
  socket.write('GET /responses/fault/slow-head?seconds=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [first] = (await once(socket, 'data')) as [Buffer]
  assert.equal(first.toString(), 'H')
  socket.destroy()
})

test('a client that leaves ends a fault and its timers', async (t) => {
  const { app, origin } = await openFaults(t, false, { MAX_DURATION_SECONDS: '3600' })
  for (const name of ['stall', 'slow-head', 'endless-body']) {
    await t.test(name, async () => {
      const socket = openSocket(origin)
      socket.write(`GET /responses/fault/${name}?seconds=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      await once(socket, 'data')
      // Only its half: it waits for nothing.
      socket.end()
      await until(() => app.logLines.some((line) => line.includes(`/fault/${name}"`)))
      socket.destroy()
    })
  }
})

test('a body that expects 100 (Continue) does not delay a fault', async (t) => {
  const { origin } = await openFaults(t)
  const socket = openSocket(origin)
  const head = 'Host: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n'
  socket.write(`POST /responses/fault/reset-before-head HTTP/1.1\r\n${head}`)
  assert.deepEqual(await readToEnd(socket), { text: '', end: 'ECONNRESET' })
})
