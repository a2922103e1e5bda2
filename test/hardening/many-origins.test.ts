import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUsage } from '../support/process-usage.ts'
import { useWatched } from '../support/watched-vitrine.ts'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

const vitrine = useWatched()

test('the OpenAPI document for many ports in Host takes no memory for each', async () => {
  const { origin, process } = vitrine()
  const read = async (port: number) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.end(
      `GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1:${String(port)}\r\nConnection: close\r\n\r\n`,
    )
    assert.match(await text(socket), /^HTTP\/1\.1 200 /)
  }
  for (let port = 1; port <= 40; port += 1) await read(port)
  const before = readUsage(process.pid)?.residentBytes ?? 0
  for (let port = 41; port <= 240; port += 1) await read(port)
  const grown = (readUsage(process.pid)?.residentBytes ?? 0) - before
  assert.ok(grown < 80 * 1024 ** 2, `${String(Math.round(grown / 1024 ** 2))} MB`)
})
