import assert from 'node:assert/strict'
import { constants } from 'node:http2'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { fetchOver, openFaults, openSession, type StreamResult } from './read-faults.ts'

const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR, NGHTTP2_REFUSED_STREAM } =
  constants
const toPath = (name: string, seconds = '0.1') =>
  `/responses/fault/${name}?body=0123456789&seconds=${seconds}`

const rows: Record<string, StreamResult> = {
  'stream-reset': { status: 200, body: '01234', code: NGHTTP2_INTERNAL_ERROR },
  'short-body': { status: 200, body: '01234', code: NGHTTP2_PROTOCOL_ERROR },
  stall: { status: 200, body: '0123456789', code: NGHTTP2_NO_ERROR },
  'endless-body': {
    status: 200,
    body: `${'0123456789'.repeat(102)}0123`.repeat(4),
    code: NGHTTP2_INTERNAL_ERROR,
  },
  goaway: { status: undefined, body: '', code: NGHTTP2_REFUSED_STREAM },
}

for (const [name, expected] of Object.entries(rows)) {
  test(`${name} over HTTP/2 ends no other stream`, async (t) => {
    const { app, origin } = await openFaults(t, true, { MAX_BODY_BYTES: '4096' })
    const session = openSession(t, origin)
    const before = fetchOver(session, toPath('stall', '0.5'))
    assert.deepEqual(await fetchOver(session, toPath(name)), expected)
    const isGoing = name === 'goaway'
    assert.equal(session.closed, isGoing)
    const behind = isGoing ? openSession(t, origin) : session
    assert.equal((await fetchOver(behind, '/health')).status, 200)
    assert.deepEqual(await before, rows.stall)
    const findLine = () => app.logLines.find((line) => line.includes(`/fault/${name}"`))
    await until(() => findLine() !== undefined)
    assert.equal(findLine()?.includes('"cutOff":true') ?? false, name !== 'stall')
  })
}

test('a body that is too short has its Content-Length over HTTP/2, also in chunks', async (t) => {
  const { origin } = await openFaults(t, true)
  const path = '/responses/fault/short-body?body=0123456789&chunk_size=2&pause=0.01'
  assert.deepEqual(await fetchOver(openSession(t, origin), path), rows['short-body'])
})

test('a fault of a request with a body does not stop the process', async (t) => {
  const { origin } = await openFaults(t, true)
  for (const name of Object.keys(rows)) {
    for (const body of ['', '0']) {
      await t.test(`${name} of ${String(body.length)} bytes`, async () => {
        const session = openSession(t, origin)
        const path = `/responses/fault/${name}?body=${body}&seconds=0`
        await fetchOver(session, path, undefined, 'a body')
        assert.equal((await fetchOver(openSession(t, origin), '/health')).status, 200)
      })
    }
  }
})

const versions = {
  'HTTP/2':
    'reset-before-head close-before-head reset-in-head slow-head garbage duplicate-length length-and-chunked reset-in-body bad-chunk',
  'HTTP/1.1': 'stream-reset goaway',
}

test('a fault that a version of HTTP does not have gets 400', async (t) => {
  const { origin } = await openFaults(t, true)
  const session = openSession(t, origin)
  for (const name of versions['HTTP/2'].split(' ')) {
    await t.test(name, async () => {
      const { status, body } = await fetchOver(session, toPath(name))
      assert.equal(status, 400)
      assert.match(body, new RegExp(`HTTP/2 does not have the fault ${name}`))
    })
  }
  const { origin: plain } = await openFaults(t)
  for (const name of versions['HTTP/1.1'].split(' ')) {
    await t.test(name, async () => {
      const response = await fetch(plain + toPath(name))
      assert.equal(response.status, 400)
      assert.match(await response.text(), new RegExp(`HTTP/1.1 does not have the fault ${name}`))
    })
  }
})
