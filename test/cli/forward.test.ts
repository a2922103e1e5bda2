import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createBinAt } from '../support/bins.ts'
import { spawnVitrine, startVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'

interface Received {
  method: string | undefined
  url: string | undefined
  rawHeaders: string[]
  body: Buffer
}

/** A service that responds with 500 to a path with `bad`. */
async function openLocal(t: TestContext) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const { method, url, rawHeaders } = request
      received.push({ method, url, rawHeaders, body: Buffer.concat(chunks as Buffer[]) })
      response.writeHead(url?.includes('bad') === true ? 500 : 201).end('done')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${String(port)}/api/`, received }
}

test('each request is sent on as it was, and its result is printed, also after a restart', async (t) => {
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(t), 'vitrine.db')}`
  const first = await startVitrine(t, { DATABASE_URL, LOG_LEVEL: 'silent' })
  const { id, secret } = await createBinAt(first.origin)
  const bin = `${first.origin}/b/${id}`
  await fetch(`${bin}/before`)
  const local = await openLocal(t)
  const forward = spawnVitrine({}, ['forward', `${bin}/`, local.url, '--secret', secret])
  t.after(() => forward.process.kill('SIGKILL'))
  await until(() => forward.output().includes('Forwarding'))
  const body = Buffer.alloc(100_000, 1)
  await until(async () => {
    await fetch(`${bin}/ready`)
    return local.received.length > 0
  })
  await fetch(`${bin}/a//b?c=%20`, {
    method: 'PUT',
    body,
    headers: { 'X-Own': '1', te: 'trailers' },
  })
  await fetch(`${bin}/empty`, { method: 'POST' })
  await fetch(`${bin}/bad`, { method: 'DELETE' })
  await until(() => forward.output().includes('DELETE /bad → 500'))
  const put = local.received.find(({ method }) => method === 'PUT')
  assert.equal(put?.url, '/api/a//b?c=%20')
  const empty = local.received.find(({ url }) => url === '/api/empty')
  assert.match(String(empty?.rawHeaders), /Content-Length,0/)
  assert.doesNotMatch(String(empty?.rawHeaders), /chunked/)
  assert.ok(body.equals(put.body))
  assert.equal(put.rawHeaders[put.rawHeaders.indexOf('X-Own') + 1] ?? '', '1')
  assert.ok(!put.rawHeaders.some((text) => text.toLowerCase() === 'te'))
  assert.match(forward.output(), /^PUT \/a\/\/b\?c=%20 → 201 Created, \d+ ms$/m)
  assert.ok(!local.received.some(({ url }) => url?.includes('before') === true))

  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  const { port } = new URL(first.origin)
  await startVitrine(t, { DATABASE_URL, PORT: port, LOG_LEVEL: 'silent' })
  await fetch(`${bin}/again`)
  await until(() => forward.output().includes('GET /again → 201'))
  forward.process.kill('SIGINT')
  const [status] = (await once(forward.process, 'exit')) as [number]
  assert.equal(status, 0)
})

test('no request is lost if the service restarts before one was forwarded, and all can be sent again', async (t) => {
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(t), 'vitrine.db')}`
  const first = await startVitrine(t, { DATABASE_URL, LOG_LEVEL: 'silent' })
  const { id, secret } = await createBinAt(first.origin)
  const bin = `${first.origin}/b/${id}`
  await fetch(`${bin}/before`)
  const local = await openLocal(t)
  const start = (...flags: string[]) => {
    const forward = spawnVitrine({}, ['forward', bin, local.url, '--secret', secret, ...flags])
    t.after(() => forward.process.kill('SIGKILL'))
    return forward
  }
  const forward = start()
  await until(() => forward.output().includes('Forwarding'))
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  await until(() => forward.output().includes('connecting again'))
  const { port } = new URL(first.origin)
  await startVitrine(t, { DATABASE_URL, PORT: port, LOG_LEVEL: 'silent' })
  await fetch(`${bin}/missed`)
  await until(() => forward.output().includes('GET /missed → 201'))
  await fetch(`${bin}/next`)
  await until(() => forward.output().includes('GET /next → 201'))
  assert.match(forward.output(), /^Connected again\. Requests missed: [01]$/m)
  assert.deepEqual(
    local.received.map(({ url }) => url),
    ['/api/missed', '/api/next'],
  )
  const again = start('--after', '0')
  await until(() => again.output().includes('GET /next → 201'))
  assert.match(again.output(), /GET \/before[^]*GET \/missed[^]*GET \/next/)
  const headers = { authorization: `Bearer ${secret}` }
  const list = await fetch(`${first.origin}/bins/${id}/requests?after=`, { headers })
  const [, missed] = (await list.json()) as { id: string }[]
  const last = start('--after', missed?.id ?? '')
  await until(() => last.output().includes('GET /next → 201'))
  assert.doesNotMatch(last.output(), /missed/)
  const rejected = start('--after', 'x')
  assert.deepEqual(await once(rejected.process, 'close'), [2, null])
  assert.match(
    rejected.output(),
    /^vitrine: cannot forward: .*after must be the id of a request.*\n$/,
  )
})

test('requests wait while the local service is down, and arrive once and in order', async (t) => {
  const { origin } = await startVitrine(t, { LOG_LEVEL: 'silent' })
  const { id, secret } = await createBinAt(origin)
  const bin = `${origin}/bins/${id}?secret=${secret}`
  const paths: string[] = []
  const open = async (port: number) => {
    const server = createServer((request, response) => {
      const path = request.url ?? ''
      // The first time, the connection is reset before a response.
      if (path === '/reset' && !paths.includes(path)) request.socket.resetAndDestroy()
      else response.writeHead(path === '/bad' ? 500 : 200).end()
      paths.push(path)
    }).listen(port, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    return server
  }
  const first = await open(0)
  const { port } = first.address() as AddressInfo
  const start = (...flags: string[]) => {
    const url = `http://localhost:${String(port)}`
    const forward = spawnVitrine({}, ['forward', bin, url, '--after', ...flags])
    t.after(() => forward.process.kill('SIGKILL'))
    return forward
  }
  const send = (path: string) => fetch(`${origin}/b/${id}${path}`, { method: 'POST', body: path })
  await send('/1')
  const forward = start('0')
  await until(() => forward.output().includes('POST /1 → 200 OK'))
  first.close()
  first.closeAllConnections()
  for (const path of ['/2', '/reset', '/bad', '/3']) await send(path)
  await until(() => forward.output().includes('ECONNREFUSED'))
  const second = await open(port)
  await until(() => forward.output().includes('POST /3 → 200 OK'))
  assert.deepEqual(paths, ['/1', '/2', '/reset', '/reset', '/bad', '/3'])
  assert.equal(forward.output().match(/REFUSED.*Trying again until it is back\.$/gm)?.length, 1)
  assert.equal(forward.output().match(/^Connected to the local service again\.$/gm)?.length, 2)
  assert.match(
    forward.output(),
    /^POST \/bad → 500 Internal Server Error, \d+ ms\. To send it again: --only [\da-f-]{36}$/m,
  )

  second.close()
  second.closeAllConnections()
  await send('/4')
  await until(() => forward.output().split('REFUSED').length === 3)
  forward.process.kill('SIGINT')
  await once(forward.process, 'close')
  assert.match(
    forward.output(),
    /^Waiting to send POST \/2 again\. The local service cannot be reached/m,
  )
  assert.match(forward.output(), /^Waiting to send POST \/reset again\. The connection broke/m)
  const [, skip = ''] =
    /^To continue without POST \/4: --after ([\da-f-]{36})$/m.exec(forward.output()) ?? []
  const [, after = ''] = /^To continue: --after ([\da-f-]{36})\n$/m.exec(forward.output()) ?? []
  await open(port)
  const next = start(after)
  await until(() => next.output().includes('POST /4 → 200 OK'))
  assert.equal(paths.at(-2), '/3')
  next.process.kill('SIGKILL')
  const skipping = start(skip)
  await until(() => skipping.output().includes('Forwarding'))
  await send('/5')
  await until(() => skipping.output().includes('POST /5 → 200 OK'))
  assert.deepEqual(paths.slice(-2), ['/4', '/5'])
})

const targets: [local: string, received: string][] = [
  ['/', '/ /?v=1 / /a?v=1'],
  ['/hook', '/hook /hook?v=1 /hook/ /hook/a?v=1'],
  ['/hook/', '/hook/ /hook/?v=1 /hook/ /hook/a?v=1'],
  ['/hook?k=1', '/hook?k=1 /hook?v=1&k=1 /hook/?k=1 /hook/a?v=1&k=1'],
]
test('the path below the bin follows the local URL, which is used as it is without one', async (t) => {
  const { origin } = await startVitrine(t, { LOG_LEVEL: 'silent' })
  const { id, secret } = await createBinAt(origin)
  for (const rest of ['', '?v=1', '/', '/a?v=1']) await fetch(`${origin}/b/${id}${rest}`)
  for (const [path, expected] of targets) {
    await t.test(path, async (t) => {
      const local = await openLocal(t)
      const flags = ['--secret', secret, '--after', '0']
      const url = new URL(path, local.url).href
      const forward = spawnVitrine({}, ['forward', `${origin}/b/${id}`, url, ...flags])
      t.after(() => forward.process.kill('SIGKILL'))
      await until(() => local.received.length === 4)
      assert.equal(local.received.map((one) => one.url).join(' '), expected)
    })
  }
})

test('one request is sent again, and the exit status is that of its result', async (t) => {
  const { origin } = await startVitrine(t, { LOG_LEVEL: 'silent' })
  const { id, secret } = await createBinAt(origin)
  for (const path of ['/good', '/bad', '/other']) await fetch(`${origin}/b/${id}${path}`)
  const headers = { authorization: `Bearer ${secret}` }
  const list = await fetch(`${origin}/bins/${id}/requests`, { headers })
  const [good, bad] = (await list.json()) as { id: string }[]
  const local = await openLocal(t)
  const send = async (only = '', url = local.url) => {
    const flags = ['--secret', secret, '--only', only]
    const forward = spawnVitrine({}, ['forward', `${origin}/b/${id}`, url, ...flags])
    const [status] = (await once(forward.process, 'close')) as [number]
    return { status, output: forward.output() }
  }
  const succeeded = await send(good?.id)
  assert.equal(succeeded.status, 0)
  assert.match(succeeded.output, /^GET \/good → 201 Created, \d+ ms\n$/)
  const failed = await send(bad?.id)
  assert.equal(failed.status, 1)
  assert.match(failed.output, /To send it again: --only [\da-f-]{36}\n$/)
  assert.deepEqual(
    local.received.map(({ url }) => url),
    ['/api/good', '/api/bad'],
  )
  const unreachable = await send(good?.id, 'http://127.0.0.1:1')
  assert.equal(unreachable.status, 1)
  assert.match(unreachable.output, /GET \/good → connect ECONNREFUSED/)
  const unknown = await send(id)
  assert.equal(unknown.status, 2)
  assert.match(unknown.output, /^vitrine: cannot forward: the bin has no request /)
})

test('the command ends when the bin is removed', async (t) => {
  const { origin } = await startVitrine(t, { LOG_LEVEL: 'silent' })
  const { id, secret } = await createBinAt(origin)
  const local = await openLocal(t)
  const flags = ['--secret', secret]
  const forward = spawnVitrine({}, ['forward', `${origin}/b/${id}`, local.url, ...flags])
  t.after(() => forward.process.kill('SIGKILL'))
  const ended = once(forward.process, 'close')
  await until(() => forward.output().includes('Forwarding'))
  await fetch(`${origin}/b/${id}`)
  await until(() => local.received.length > 0)
  const headers = { authorization: `Bearer ${secret}` }
  await fetch(`${origin}/bins/${id}`, { method: 'DELETE', headers })
  assert.deepEqual(await ended, [2, null])
  assert.match(forward.output(), /\nvitrine: cannot forward: There is no bin with the id .*\n$/)
})
