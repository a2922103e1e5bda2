import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { loadConfig } from '../../src/config/config.ts'
import { groupTitles, publicDefaults, settingNames, toFlagName } from '../../src/config/settings.ts'
import { dataFile } from '../support/data-app.ts'
import { failedStart } from '../support/failed-start.ts'
import {
  findOrigin,
  projectFolder,
  settingsIn,
  spawnVitrine,
  startVitrine,
  temporaryFolder,
} from '../support/start-vitrine.ts'
import { makeCertificate } from '../support/tls-client.ts'
import { until } from '../support/until.ts'
import { words } from '../support/words.ts'

const run = promisify(execFile)

test('every invalid setting has its own line and the exit status is 2', async (t) => {
  const { status, lines } = await failedStart(t, {
    PORT: '70000',
    DATABASE_URL: 'mysql://localhost',
    REDIS_URL: 'http://localhost',
    FILES_URL: 'ftp://localhost',
    DEMOS: 'users,attic',
    PUBLIC_DIR: '/nowhere/at/all',
    MAX_BODY_BYTES: '1e3',
    METHOD_OVERRIDE: 'maybe',
    BODY_READERS: 'json,xml',
    CORS_ORIGINS: 'example.org',
    LOG_LEVEL: 'loud',
  })
  assert.equal(status, 2)
  assert.deepEqual(
    lines.map((line) => /^vitrine: ([A-Z_]+) must/.exec(line)?.[1]).toSorted(),
    words`
    BODY_READERS CORS_ORIGINS DATABASE_URL DEMOS FILES_URL LOG_LEVEL MAX_BODY_BYTES METHOD_OVERRIDE
    PORT PUBLIC_DIR REDIS_URL
  `,
  )
})

test('a bucket without its key is an invalid setting, and no password in a URL is printed', async (t) => {
  const FILES_URL = 's3://bucket/some/files?endpoint=http://127.0.0.1:9000&region=eu-1'
  const REDIS_URL = 'redis+ssh://ann:p@ss:word@localhost/1'
  const { status, lines } = await failedStart(t, { FILES_URL, AWS_ACCESS_KEY_ID: 'key', REDIS_URL })
  assert.equal(status, 2)
  assert.deepEqual(lines, [
    'vitrine: REDIS_URL must be redis://host:port, or rediss://host:port for TLS, with a percent-encoded password',
    'vitrine: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set for FILES_URL',
  ])
})

test('valid and invalid URLs of a bucket and of Redis', async (t) => {
  const key = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
  const cases: [name: 'FILES_URL' | 'REDIS_URL', text: string, isOne: boolean][] = [
    ['FILES_URL', 's3://glass', true],
    ['FILES_URL', 's3://glass.example/some/files/', true],
    ['FILES_URL', 's3://glass/a_b?region=eu-1&endpoint=https://s3.example:9000/base', true],
    ['FILES_URL', 's3://', false],
    ['FILES_URL', 's3://Glass', false],
    ['FILES_URL', 's3://ab', false],
    ['FILES_URL', 's3://glass/a&b', false],
    ['FILES_URL', 's3://glass//a', false],
    ['FILES_URL', 's3://glass?endpoint=ftp://s3.example', false],
    ['FILES_URL', 's3://glass?endpoint=s3.example', false],
    ['FILES_URL', 's3://glass?region=a/b', false],
    ['REDIS_URL', 'redis://localhost', true],
    ['REDIS_URL', 'rediss://ann:secret@redis.example:6380/2', true],
    ['REDIS_URL', 'valkeys://[::1]:6379', true],
    ['REDIS_URL', 'redis:localhost', false],
    ['REDIS_URL', 'localhost:6379', false],
    ['REDIS_URL', 'http://localhost', false],
  ]
  for (const [name, text, isOne] of cases) {
    await t.test(`${name} ${text}`, () => {
      const load = () => loadConfig({ ...key, [name]: text }, ['users'])
      if (isOne) assert.doesNotThrow(load, text)
      else assert.throws(load, { message: new RegExp(`^${name} must be `) }, text)
    })
  }
})

test('every unknown or incomplete option has its own line and the exit status is 2', async (t) => {
  const { status, lines } = await failedStart(t, {}, ['--prot', '80', '--port'])
  assert.equal(status, 2)
  assert.deepEqual(lines, [
    'vitrine: unknown flag --prot; did you mean --port? See --help',
    'vitrine: --port requires a value',
  ])
})

test('an invalid TRUSTED_PROXIES is the only problem that is printed', async (t) => {
  const { status, lines } = await failedStart(t, { TRUSTED_PROXIES: 'proxy' })
  assert.equal(status, 2)
  assert.match(lines.join('\n'), /^vitrine: TRUSTED_PROXIES must be .*; it is "proxy"$/)
})

test('ADMIN_PORT cannot be PORT, unless both are free ports', async (t) => {
  const { status, lines } = await failedStart(t, { PORT: '9090', ADMIN_PORT: '9090' })
  assert.equal(status, 2)
  assert.deepEqual(lines, ['vitrine: ADMIN_PORT must not be the same as PORT'])
  assert.doesNotThrow(() => loadConfig({ PORT: '0', ADMIN_PORT: '0' }, ['users']))
})

test('an option overrides the environment', async (t) => {
  const { status, lines } = await failedStart(t, { PORT: '80' }, ['--port=nought'])
  assert.equal(status, 2)
  assert.deepEqual(lines, ['vitrine: PORT must be a whole number from 0 to 65535; it is "nought"'])
})

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

for (const [settings, warning] of [
  [{ PRESETS: 'public' }, /^vitrine: PRESETS is not a setting/m],
  [{ PRESET: 'public', INSPECTOR: 'all' }, /^vitrine: INSPECTOR=all shows the requests of each/m],
] as const) {
  test(`a start warns about ${JSON.stringify(settings)}`, async (t) => {
    const started = spawnVitrine({ PORT: '0', DATABASE_URL: 'sqlite::memory:', ...settings })
    t.after(() => started.process.kill('SIGKILL'))
    await findOrigin(started)
    await until(() => warning.test(started.output()))
  })
}

test('the line of the start names the URL, and HOST and PRESET unless all is local', async (t) => {
  for (const [host, preset, ending] of [
    ['127.0.0.1', 'none', ''],
    ['127.0.0.1', 'public', ' (HOST=127.0.0.1, PRESET=public)'],
    ['0.0.0.0', 'none', ' (HOST=0.0.0.0, PRESET=none)'],
  ] as const) {
    await t.test(`${host} ${preset}`, async (t) => {
      const settings = { PORT: '0', DATABASE_URL: 'sqlite::memory:', HOST: host, PRESET: preset }
      const started = spawnVitrine(settings)
      t.after(() => started.process.kill('SIGKILL'))
      const origin = await findOrigin(started)
      assert.ok(started.output().includes(`Vitrine is listening on ${origin}${ending}\n`))
    })
  }
})

for (const [HOST, ALLOWED_HOSTS, isNamed] of [
  ['0.0.0.0', '*', true],
  ['0.0.0.0', 'vitrine.example', false],
  ['127.0.0.1', '*', false],
] as const) {
  const outcome = isNamed ? 'names' : 'does not name'
  test(`the start ${outcome} URLs for the network, HOST=${HOST} ALLOWED_HOSTS=${ALLOWED_HOSTS}`, async (t) => {
    const settings = { PORT: '0', DATABASE_URL: 'sqlite::memory:', HOST, ALLOWED_HOSTS }
    const started = spawnVitrine(settings)
    t.after(() => started.process.kill('SIGKILL'))
    const { port } = new URL(await findOrigin(started))
    started.process.kill('SIGTERM')
    await once(started.process, 'close')
    const addresses = Object.values(networkInterfaces()).flatMap((ofInterface = []) => ofInterface)
    const origins = addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => `http://${address}:${port}`)
    assert.doesNotMatch(started.output(), /Server listening/)
    const [, named] = /^On this network: (.*)$/m.exec(started.output()) ?? []
    assert.equal(named, isNamed && origins.length > 0 ? origins.join(', ') : undefined)
  })
}

test('--version prints the version, and --help lists every setting in 80 columns', async (t) => {
  const version = await run(process.execPath, ['bin/vitrine.js', '--version'], {
    cwd: projectFolder,
  })
  assert.equal(version.stdout, `${packageJson.version}\n`)
  const { stdout } = await run(process.execPath, ['bin/vitrine.js', '--help'], {
    cwd: projectFolder,
  })
  for (const name of settingNames) {
    await t.test(name, () => {
      assert.match(stdout, new RegExp(`^  --${toFlagName(name)} +\\S`, 'm'))
    })
  }
  assert.match(stdout, /^ {2}--delay +[^[]*\[0; DELAY_MS\]/m)
  assert.match(stdout, /^ {2}--test-api +[^[]*\[off\]/m)
  for (const title of Object.values(groupTitles)) assert.ok(stdout.includes(`\n${title}:\n`))
  for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line)
})

test('with --preset public, --help has the defaults of the preset', async () => {
  const args = ['bin/vitrine.js', '--preset', 'public', '--help']
  const { stdout } = await run(process.execPath, args, { cwd: projectFolder })
  for (const name of settingNames.filter((each) => publicDefaults[each] !== undefined)) {
    const [, shown] = new RegExp(`\n  --${toFlagName(name)} [^[]*\\[([^\\]]*)`).exec(stdout) ?? []
    assert.equal(shown, publicDefaults[name], name)
  }
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends the process with status 0 despite a persistent connection`, async (t) => {
    const { origin, process: child } = await startVitrine(t)
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    t.after(() => socket.destroy())
    socket.write(`GET /health HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
    await once(socket, 'data')
    child.kill(signal)
    await once(child, 'exit')
    assert.equal(child.exitCode, 0)
  })
}

test('records written before a restart exist after it', async (t: TestContext) => {
  const folder = await temporaryFolder(t)
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'new', 'folder', 'vitrine.db')}` }
  const first = await startVitrine(t, settings)
  const body = new URLSearchParams({ name: 'Rome' })
  const created = await fetch(`${first.origin}/places`, { method: 'POST', body })
  const location = created.headers.get('location') ?? ''
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  const response = await fetch((await startVitrine(t, settings)).origin + location, {
    headers: { accept: 'application/json' },
  })
  assert.equal(((await response.json()) as { name: string }).name, 'Rome')
})

for (const [title, files] of [
  ['the sources and compiled code, as npm installs from Git', ['bin', 'package.json']],
  ['its dependencies', ['bin', 'src', 'package.json']],
] as const) {
  test(`a copy of Vitrine without ${title} prints how to make the package`, async (t) => {
    // Deeper than the folder of others: Node would hint at a file `dist/main.js` there.
    const folder = join(await temporaryFolder(t), 'copy')
    for (const name of files)
      await cp(join(projectFolder, name), join(folder, name), { recursive: true })
    const started = run(process.execPath, [join(folder, 'bin/vitrine.js')], { cwd: folder })
    await assert.rejects(started, { code: 2, stderr: /^Cannot find .*\nThis copy .*npm pack.*\n$/ })
  })
}
