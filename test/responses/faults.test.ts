import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { fetchWithNode, openFaults, openSocket, readToEnd } from './read-faults.ts'

const toRequest = (path: string, method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const query = 'body=0123456789&seconds=0.1'

interface Row {
  /** The bytes of the whole response. */
  bytes: RegExp
  end: 'closed' | 'ECONNRESET'
  /** With `node:http`. */
  node: string
  logged: LogLine
}

interface LogLine {
  status?: number
  cutOff?: true
}

const rows: Record<string, Row> = {
  'reset-before-head': {
    bytes: /^$/,
    end: 'ECONNRESET',
    node: '|ECONNRESET',
    logged: { cutOff: true },
  },
  'close-before-head': {
    bytes: /^$/,
    end: 'closed',
    node: '|ECONNRESET',
    logged: { cutOff: true },
  },
  'reset-in-head': {
    bytes: /^HTTP\/1\.1 200 OK\r\n(?!.*\r\n\r\n)/s,
    end: 'ECONNRESET',
    node: '|ECONNRESET',
    logged: { cutOff: true },
  },
  'slow-head': {
    bytes: /^HTTP\/1\.1 200 OK\r\n(.+\r\n)+\r\n0123456789$/,
    end: 'closed',
    node: '200 0123456789|',
    logged: { cutOff: true },
  },
  garbage: {
    bytes: /^\W{4}This is not HTTP\.\r\n\r\n$/,
    end: 'closed',
    node: '|HPE_INVALID_CONSTANT',
    logged: { cutOff: true },
  },
  'duplicate-length': {
    bytes: /^(.+\r\n)+Content-Length: 10\r\nContent-Length: 11\r\n(.+\r\n)*\r\n0123456789$/i,
    end: 'closed',
    node: '|HPE_UNEXPECTED_CONTENT_LENGTH',
    logged: { status: 200 },
  },
  'length-and-chunked': {
    bytes:
      /^(.+\r\n)+content-length: 10\r\n(.+\r\n)*transfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n$/,
    end: 'closed',
    node: '|HPE_INVALID_TRANSFER_ENCODING',
    logged: { cutOff: true },
  },
  'reset-in-body': {
    bytes: /^(.+\r\n)+Content-Length: 10\r\n(.+\r\n)*\r\n01234$/i,
    end: 'ECONNRESET',
    node: '200 01234|ECONNRESET',
    logged: { status: 200, cutOff: true },
  },
  'short-body': {
    bytes: /^(.+\r\n)+Content-Length: 10\r\n(.+\r\n)*\r\n01234$/i,
    end: 'closed',
    node: '200 01234|ECONNRESET',
    logged: { status: 200, cutOff: true },
  },
  'bad-chunk': {
    bytes: /^(.+\r\n)+Transfer-Encoding: chunked\r\n(.+\r\n)*\r\n5\r\n01234\r\nsize\r\n$/i,
    end: 'closed',
    node: '200 01234|HPE_INVALID_CHUNK_SIZE',
    logged: { status: 200, cutOff: true },
  },
  'endless-body': {
    bytes:
      /^(.+\r\n)+Transfer-Encoding: chunked\r\n(.+\r\n)*\r\n(400\r\n(0123456789){102}0123\r\n){4}$/i,
    end: 'closed',
    node: `200 ${`${'0123456789'.repeat(102)}0123`.repeat(4)}|ECONNRESET`,
    logged: { status: 200, cutOff: true },
  },
}

for (const isTls of [false, true]) {
  test(`faults over ${isTls ? 'HTTPS' : 'HTTP'}`, async (t) => {
    const { app, origin } = await openFaults(t, isTls, { MAX_BODY_BYTES: '4096' })
    const read = async (...requests: string[]) => {
      const socket = openSocket(origin)
      socket.write(requests.join(''))
      return readToEnd(socket)
    }
    for (const [name, row] of Object.entries(rows)) {
      const path = `/responses/fault/${name}?${query}`
      await t.test(`${name}: the bytes`, async () => {
        const { text, end } = await read(toRequest(path))
        assert.match(text, row.bytes)
        assert.equal(end, row.end)
      })
      await t.test(`${name}: node:http`, async () => {
        assert.equal(await fetchWithNode(origin + path), row.node)
      })
      await t.test(
        `${name}: a response before it is whole, and no request behind it is handled`,
        async () => {
          const health = toRequest('/health')
          const { text } = await read(health, toRequest(path), health, health)
          const start = text.indexOf('"ok"}') + 5
          assert.match(text.slice(0, start), /^HTTP\/1\.1 200 OK\r\n/)
          assert.match(text.slice(start), row.bytes)
        },
      )
      await t.test(`${name}: the log`, async () => {
        const find = () => app.logLines.filter((line) => line.includes(`/fault/${name}"`))
        await until(() => find().length >= 3)
        for (const line of find()) {
          const { status, cutOff } = JSON.parse(line) as LogLine
          assert.deepEqual(
            { status, cutOff },
            { status: undefined, cutOff: undefined, ...row.logged },
          )
        }
      })
    }
    const handled = app.logLines.filter((line) => line.includes('/health"'))
    assert.equal(handled.length, Object.keys(rows).length)
  })
}

const chunks = String.raw`2\r\n01\r\n2\r\n23\r\n1\r\n4\r\n`
const rest = String.raw`2\r\n56\r\n2\r\n78\r\n1\r\n9\r\n0\r\n\r\n`
const framed: [path: string, framing: string, body: string, end: string][] = [
  [
    'reset-in-body?framing=chunked',
    'Transfer-Encoding: chunked',
    String.raw`5\r\n01234\r\n`,
    'ECONNRESET',
  ],
  ['reset-in-body?chunk_size=2&pause=0.02', 'Transfer-Encoding: chunked', chunks, 'ECONNRESET'],
  [
    'short-body?framing=chunked',
    'Transfer-Encoding: chunked',
    String.raw`5\r\n01234\r\n`,
    'closed',
  ],
  ['short-body?chunk_size=2', 'Transfer-Encoding: chunked', chunks, 'closed'],
  ['short-body?chunk_size=2&framing=length', 'Content-Length: 10', '01234', 'closed'],
  ['stall?chunk_size=2', 'Transfer-Encoding: chunked', chunks + rest, 'closed'],
]
for (const [path, framing, body, end] of framed) {
  test(`a response that is framed as described has the fault after its half: ${path}`, async (t) => {
    const { app, origin } = await openFaults(t)
    const target = `/responses/fault/${path}&body=0123456789${path.startsWith('stall') ? '&seconds=0' : ''}`
    const socket = openSocket(origin)
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    const received = await readToEnd(socket)
    assert.match(
      received.text,
      new RegExp(`^(.+\\r\\n)+${framing}\\r\\n(.+\\r\\n)*\\r\\n${body}$`, 'i'),
    )
    assert.equal(received.end, end)
    await until(() => app.logLines.some((line) => line.includes('/fault/')))
    const isCutOff = app.logLines.some((line) => line.includes('"cutOff":true'))
    assert.equal(isCutOff, !path.startsWith('stall'))
  })
}
