import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { groupTitles, publicDefaults, settingNames, toFlagName } from '../../src/config/settings.ts'
import {
  findOrigin,
  projectFolder,
  spawnVitrine,
  startVitrine,
  temporaryFolder,
} from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)

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
  assert.match(stdout, /^ {2}--delay +[^[]*\[0;\s+DELAY_MS\]/m)
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
