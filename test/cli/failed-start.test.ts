import assert from 'node:assert/strict'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { failedStart } from '../support/failed-start.ts'
import { settingsIn, startVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { makeCertificate } from '../support/tls-client.ts'

test('a database that cannot be opened stops the start with one line', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'text.db'), 'This is no database. '.repeat(100))
  await mkdir(join(folder, 'folder.db'))
  for (const name of ['text.db', 'folder.db', 'text.db/inside.db']) {
    await t.test(name, async () => {
      const { status, lines } = await failedStart(t, {
        DATABASE_URL: `sqlite:${join(folder, name)}`,
      })
      assert.equal(status, 2)
      assert.equal(lines.length, 1, lines.join('\n'))
      assert.match(lines[0] ?? '', /^vitrine: cannot start: /)
    })
  }
})

test('a port that is in use stops the start with one line', async (t) => {
  const { origin } = await startVitrine(t)
  const PORT = new URL(origin).port
  const { status, lines } = await failedStart(t, { PORT, DATABASE_URL: 'sqlite::memory:' })
  assert.equal(status, 69)
  assert.equal(lines.length, 1, lines.join('\n'))
  assert.match(
    lines[0] ?? '',
    /^vitrine: cannot start: port \d+ of 127\.0\.0\.1 is in use \(EADDRINUSE\)/,
  )
})

const failures: Record<
  string,
  { flags?: string[]; settings?: Record<string, string>; data?: string }
> = {
  'a data file that is not JSON': { data: '{"posts":[}' },
  'a data file that is a list': { data: '[]' },
  'a certificate that is invalid': {
    settings: { TLS_CERT: 'package.json', TLS_KEY: 'package.json' },
  },
  'a backup that does not exist': { flags: ['restore', 'none.backup'] },
  'an export before the first start': { flags: ['export', '-'] },
}
for (const [name, { flags, settings, data = '{"posts":[]}' }] of Object.entries(failures))
  test(`${name} leaves no new file and folder`, async (t) => {
    const folder = await temporaryFolder(t)
    const stores = {
      DATABASE_URL: `sqlite:${join(folder, 'new', 'kept', 'vitrine.db')}`,
      FILES_URL: `file:${join(folder, 'new', 'files')}`,
    }
    const DATA_FILE = await dataFile(t, data)
    const { status, output } = await failedStart(t, { DATA_FILE, ...stores, ...settings }, flags)
    assert.equal(status, 2, output)
    assert.deepEqual(await readdir(folder), [])
  })

test('a failed start leaves a link to a missing database, and a folder that others filled', async (t) => {
  const folder = await temporaryFolder(t)
  await symlink(join(folder, 'missing.db'), join(folder, 'link.db'))
  await mkdir(join(folder, 'files'))
  const { status } = await failedStart(t, {
    DATA_FILE: await dataFile(t, '[]'),
    DATABASE_URL: `sqlite:${join(folder, 'link.db')}`,
    FILES_URL: `file:${join(folder, 'files')}`,
  })
  assert.equal(status, 2)
  assert.deepEqual((await readdir(folder)).toSorted(), ['files', 'link.db'])
})

test('a port that is in use is reported before the data file is loaded, and the database of others stays', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = { ...settingsIn(folder), DATA_FILE: await dataFile(t, '{"posts":[') }
  const { origin } = await startVitrine(t, settingsIn(folder))
  const before = await readdir(folder)
  const { status, output } = await failedStart(t, { ...settings, PORT: new URL(origin).port })
  assert.match(output, /^vitrine: cannot start: port \d+ of 127\.0\.0\.1 is in use \(EADDRINUSE\)/)
  assert.equal(status, 69)
  assert.deepEqual(await readdir(folder), before)
})

for (const name of ['ADMIN_PORT', 'REDIRECT_HTTP_PORT']) {
  test(`a ${name} that is in use is named`, async (t) => {
    const { port } = new URL((await startVitrine(t)).origin)
    const settings = { ...(await makeCertificate(t)), DATABASE_URL: 'sqlite::memory:' }
    const { status, lines } = await failedStart(t, { ...settings, [name]: port })
    assert.equal(status, 69)
    const problem = `port ${port} of 127.0.0.1 is in use (EADDRINUSE). Set another ${name}, or stop the other process.`
    assert.equal(lines.at(-1), `vitrine: cannot start: ${problem}`)
  })
}

for (const name of ['HOST', 'ADMIN_HOST']) {
  test(`a ${name} that is no address of this machine (RFC 5737) is named`, async (t) => {
    const settings = { DATABASE_URL: 'sqlite::memory:', ADMIN_PORT: '0', [name]: '192.0.2.1' }
    const { status, lines } = await failedStart(t, settings)
    assert.equal(status, 69)
    assert.match(lines.at(-1) ?? '', RegExp(`: ${name} cannot be used: 192.0.2.1 .*EADDRNOTAVAIL`))
  })
}

test('a HOST that cannot be resolved stops the start with one line', async (t) => {
  const { lines } = await failedStart(t, { HOST: 'host.invalid', DATABASE_URL: 'sqlite::memory:' })
  assert.deepEqual(lines, [
    'vitrine: cannot start: HOST cannot be resolved: host.invalid. Set an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all',
  ])
})
