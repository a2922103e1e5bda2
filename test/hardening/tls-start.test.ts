import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { spawnVitrine, temporaryFolder } from '../start-vitrine.ts'
import { curl, makeCertificate } from './tls-client.ts'
import { askRaw, startWatched, toGet, toRequest } from './watched-vitrine.ts'

test('garbage and plain HTTP on the port of TLS harm nobody', async (t) => {
  const { origin, assertSound } = await startWatched(t, await makeCertificate(t))
  const messages = [
    toGet('/'),
    '\0'.repeat(1000),
    '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
    'PRI * HTTP/2.0',
  ]
  for (const message of messages) {
    const { statuses } = await askRaw(origin, message, { endsHalf: true })
    assert.ok(statuses.every((status) => status === 400))
  }
  assert.equal((await curl(`${origin}/health`)).status, 200)
  await assertSound()
})

test('plain HTTP is redirected with its path and query, and a bad Host refused', async (t) => {
  const settings = { ...(await makeCertificate(t)), REDIRECT_HTTP_PORT: '0', PORT: '0' }
  const folder = await temporaryFolder(t)
  const { process: child, output } = spawnVitrine({
    ...settings,
    DATABASE_URL: 'sqlite::memory:',
    FILES_URL: `file:${folder}`,
  })
  t.after(() => child.kill('SIGKILL'))
  while (!output().includes('Vitrine is open at')) {
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')])
    assert.equal(child.exitCode, null, output())
  }
  const port = /redirected from port (\d+)/.exec(output())?.[1] ?? ''
  const secure = /open at (\S+)/.exec(output())?.[1] ?? ''
  const plain = `http://127.0.0.1:${port}`
  const target = '/topic?a=%C3%A9&a=%22%3Cb%3E'
  for (const method of ['GET', 'POST', 'DELETE']) {
    const { status, head } = await curl('-X', method, `${plain}${target}`)
    assert.equal(status, 308)
    assert.ok(head.toLowerCase().includes(`location: ${(secure + target).toLowerCase()}`), head)
    assert.doesNotMatch(head, /^strict-transport-security/im)
  }
  for (const name of ['', 'a b', 'a@b', 'a/b', 'x:port', '[::1']) {
    const message = toRequest('GET / HTTP/1.1', [`Host: ${name}`, 'Connection: close'])
    assert.deepEqual([name, (await askRaw(plain, message)).statuses], [name, [400]])
  }
  const two = await askRaw(plain, toGet('/', 'Host: y'))
  assert.deepEqual(two.statuses, [400])
  assert.deepEqual((await askRaw(plain, toGet('*'))).statuses, [400])
  assert.equal((await curl(`${secure}/health`)).status, 200)
})

test('TLS settings that cannot work stop the start with a line for each', async (t) => {
  const { TLS_CERT, TLS_KEY } = await makeCertificate(t)
  const other = await makeCertificate(t)
  const folder = await temporaryFolder(t)
  const junk = join(folder, 'junk.pem')
  await writeFile(junk, 'not a certificate')
  const rows: [settings: Record<string, string>, lines: number][] = [
    [{ TLS_CERT }, 1],
    [{ TLS_KEY }, 1],
    [{ TLS_CERT: '/nowhere.pem', TLS_KEY: '/nowhere.key' }, 2],
    [{ TLS_CERT: folder, TLS_KEY }, 1],
    [{ TLS_CERT: junk, TLS_KEY }, 1],
    [{ TLS_CERT, TLS_KEY: junk }, 1],
    [{ TLS_CERT, TLS_KEY: other.TLS_KEY }, 1],
    [{ REDIRECT_HTTP_PORT: '8080' }, 1],
    [{ TLS_CERT, TLS_KEY, REDIRECT_HTTP_PORT: 'eighty' }, 1],
  ]
  await Promise.all(
    rows.map(async ([settings, lines]) => {
      const { process: child, output } = spawnVitrine({
        PORT: '0',
        DATABASE_URL: 'sqlite::memory:',
        FILES_URL: `file:${folder}`,
        ...settings,
      })
      t.after(() => child.kill('SIGKILL'))
      await once(child, 'close')
      const what = `${JSON.stringify(settings)}: ${output()}`
      assert.equal(child.exitCode, 2, what)
      const said = output().trim().split('\n')
      assert.equal(said.length, lines, what)
      assert.ok(
        said.every((line) => line.startsWith('vitrine: ')),
        what,
      )
    }),
  )
})
