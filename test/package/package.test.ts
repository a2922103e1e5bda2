import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { stages } from './dockerfile.ts'
import {
  copyRepository,
  countBytes,
  environment,
  findFiles,
  installPackage,
  makeFolder,
  npm,
} from './installed-package.ts'
import {
  findOrigin,
  projectFolder,
  spawnProgram,
  temporaryFolder,
} from '../support/start-vitrine.ts'

const run = promisify(execFile)
const nobody = 65_534
const asRoot = { skip: process.getuid?.() !== 0 }
const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')

let folder: string
let copy: string
/** Where the package is installed. */
let installed: string
/** Of everything that is installed, before a start has put its cache beside it. */
let bytes: number

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-package-'))
  await chmod(folder, 0o755)
  copy = await copyRepository(folder)
  installed = await installPackage(copy, folder)
  bytes = await countBytes(join(installed, 'node_modules'))
})
after(() => rm(folder, { recursive: true, force: true }))

const inPackage = (...path: string[]) => join(installed, 'node_modules/vitrine', ...path)

/** Starts it on a free port and otherwise as it is; `stop` ends all that the start has started. */
async function start(t: TestContext, program: string, args: readonly string[]) {
  const cwd = await temporaryFolder(t)
  const env = { PATH: environment.PATH, HOME: cwd, npm_config_cache: cwd, PORT: '0' }
  const started = spawnProgram(program, args, { cwd, env, detached: true })
  const { process: child } = started
  const ended = once(child, 'close')
  const kill = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  }
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) kill('SIGKILL')
    await ended
  })
  const stop = async () => {
    kill('SIGTERM')
    await ended
    return child.exitCode
  }
  return { cwd, origin: await findOrigin(started), stop, output: started.output }
}

/** A page, JSON, a record that is kept, a file of public/, an asset of ours and one of a dependency. */
async function send(origin: string) {
  const get = (path: string, accept = '*/*') => fetch(origin + path, { headers: { accept } })
  assert.match(await (await get('/', 'text/html')).text(), /<h1>/)
  assert.deepEqual(Object.keys((await (await get('/api/json')).json()) as object), ['content'])
  const headers = { 'content-type': 'application/json' }
  const body = '{"name":"Rome"}'
  const put = await fetch(`${origin}/locations/rome`, { method: 'PUT', headers, body })
  assert.equal(put.status, 201)
  assert.match(await (await get('/locations/rome', 'application/json')).text(), /"name":"Rome"/)
  assert.match(await (await get('/topic.html')).text(), /<form/)
  assert.match(await (await get('/learn/caching', 'text/html')).text(), /<h1>/)
  assert.match(await (await get('/assets/base.css')).text(), /\{/)
  for (const font of ['geist', 'geist-mono']) {
    const response = await get(`/assets/${font}-latin-wght-normal.woff2`)
    assert.equal(response.headers.get('content-type'), 'font/woff2')
    assert.equal(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 4), 'wOF2')
  }
  assert.equal((await get('/openapi.json')).status, 200)
}

/** The entries of the lock file of a folder, by path. */
async function readLock(root: string) {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>
  }
  return Object.fromEntries(Object.entries(lock.packages).filter(([path]) => path !== ''))
}

test('the repository runs its sources, even with an older build beside them', async () => {
  const stale = await copyRepository(await makeFolder(join(folder, 'left-over')))
  const { stdout } = await run(process.execPath, ['bin/vitrine.js', '--version'], { cwd: stale })
  assert.equal(stdout, `${packageJson.version}\n`)
})

test('packing leaves nothing behind', () => {
  assert.ok(!existsSync(join(copy, 'dist')))
})

test('the package has the compiled service and its documents', async () => {
  const code = ['bin', 'dist', 'package.json', 'public', 'src']
  const documents = (await readdir(projectFolder)).filter((name) => name.endsWith('.md'))
  const linked = ['LICENSE', 'compose.yaml', 'decisions', 'deploy', 'docs']
  const kept = [...code, ...documents, ...linked].toSorted()
  assert.deepEqual((await readdir(inPackage())).toSorted(), kept)
  const files = await findFiles(inPackage())
  const found = files.filter((file) => /\.ts$|\.(test|contract)\.|left-over/.test(file))
  assert.deepEqual(found, ['dist/embed.d.ts'])
  for (const folder of ['public', 'src/httpbin/assets', 'src/site/assets']) {
    const own = await findFiles(join(projectFolder, folder))
    assert.deepEqual(await findFiles(inPackage(folder)), own)
  }
  assert.deepEqual((await readdir(inPackage('src'))).toSorted(), ['httpbin', 'site'])
})

test('every relative link of its documents leads to a file of the package', async () => {
  const documents = (await findFiles(inPackage())).filter((file) => file.endsWith('.md'))
  assert.ok(documents.includes('docs/your-own-data.md'))
  for (const file of documents) {
    const text = await readFile(inPackage(file), 'utf8')
    // A link of a lesson begins with a slash: it is a path of the service.
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|[#/])([^)#]+)/g))
      assert.ok(existsSync(inPackage(dirname(file), target)), `${file}: ${target}`)
  }
})

test('nothing but the fonts is installed with it, and all is as large as docs/operating.md states', async () => {
  const packages = Object.keys(await readLock(installed)).sort()
  const expected = [...Object.keys(packageJson.dependencies), 'vitrine']
  assert.deepEqual(
    packages,
    expected.map((name) => `node_modules/${name}`),
  )
  const [, size] = /The installation\s+has about (\d+) MB/.exec(guide) ?? []
  assert.ok(Math.abs(Number(size) - bytes / 1e6) <= 2, String(bytes))
})

test('it has the license of each package in the bundle', async () => {
  const licenses = await readFile(inPackage('dist/licenses.txt'), 'utf8')
  for (const name of ['fastify', 'typebox', 'yaml', 'ws', 'find-my-way', '@fastify/proxy-addr'])
    assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: [A-Z]`, 'm'))
  assert.ok(licenses.includes('Permission to use, copy, modify'))
})

test('npx starts it, and its data is in data/ of the working directory', async (t) => {
  const args = ['--prefix', installed, '--no', '--', 'vitrine']
  const { cwd, origin, stop } = await start(t, 'npx', args)
  await send(origin)
  await stop()
  assert.ok((await readdir(join(cwd, 'data'))).includes('vitrine.db'))
  const elsewhere = (await findFiles(installed)).filter((file) => /(^|\/)data\//.test(file))
  assert.deepEqual(elsewhere, [])
})

test('SIGTERM ends it with 0, and its cache is in its own folder', async (t) => {
  const { cwd, stop } = await start(t, join(installed, 'node_modules/.bin/vitrine'), [])
  assert.equal(await stop(), 0)
  assert.deepEqual(await readdir(cwd), ['data'])
  assert.ok(existsSync(inPackage('.cache')))
  assert.ok(!existsSync(inPackage('node_modules')))
})

test(
  'a command that root runs with umask 077 hides nothing from the service',
  asRoot,
  async (t) => {
    const command = `umask 077 && '${process.execPath}' '${inPackage('bin/vitrine.js')}' --version`
    await rm(inPackage('.cache'), { recursive: true, force: true })
    await run('sh', ['-c', command])
    assert.equal((await stat(inPackage('.cache'))).mode & 0o777, 0o700)
    const cwd = await temporaryFolder(t)
    await chown(cwd, nobody, nobody)
    // This Node may be in a folder of root.
    const node = join(folder, 'node')
    await cp(process.execPath, node)
    const started = spawnProgram(node, [inPackage('bin/vitrine.js')], {
      cwd,
      env: { PORT: '0' },
      uid: nobody,
      gid: nobody,
    })
    t.after(() => started.process.kill('SIGKILL'))
    await send(await findOrigin(started))
    assert.doesNotMatch(started.output(), /"level":[4-6]0/)
  },
)

test('its help and version are those of the repository', async () => {
  for (const flag of ['--help', '--version']) {
    const [own, packed] = await Promise.all([
      run(process.execPath, [join(projectFolder, 'bin/vitrine.js'), flag]),
      run(process.execPath, [inPackage('bin/vitrine.js'), flag]),
    ])
    assert.equal(packed.stdout, own.stdout)
  }
})

test('generated records need the optional package, which is not in the bundle', async (t) => {
  const file = join(await temporaryFolder(t), 'db.yaml')
  await writeFile(file, 'posts: []')
  const { cwd } = await start(t, inPackage('bin/vitrine.js'), [file])
  const args = [file, 'seed', '1', '--resource', 'posts']
  const seed = run(process.execPath, [inPackage('bin/vitrine.js'), ...args], { cwd })
  await assert.rejects(seed, { stderr: /npm install @faker-js\/faker/ })
})

test('a TypeScript program can import its exports', async (t) => {
  if (!existsSync(join(projectFolder, 'src/embed.ts'))) {
    t.skip('there is nothing to embed yet')
    return
  }
  const program = `import { buildApp } from 'vitrine'
    import packageJson from 'vitrine/package.json' with { type: 'json' }
    const app = await buildApp({ settings: { LOG_LEVEL: 'silent' } })
    const origin: string = await app.start()
    await app.seed(2)
    const response = await fetch(origin + '/users', { headers: { accept: 'application/json' } })
    console.log(((await response.json()) as unknown[]).length, packageJson.version)
    await app.stop()
    // @ts-expect-error its settings are text
    export const wrong = () => buildApp({ settings: { PORT: 1 } })
  `
  await writeFile(join(installed, 'program.mts'), program)
  const types = join(projectFolder, 'node_modules/@types')
  const options = ['--typeRoots', types, '--types', 'node', '--module', 'nodenext']
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc')
  const flags = [...options, '--strict', '--target', 'es2024', 'program.mts']
  await run(process.execPath, [tsc, ...flags], { cwd: installed })
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: installed })
  assert.equal(stdout, `2 ${packageJson.version}\n`)
})

test('a version of Node that is too old is named, with the way to a newer one', async () => {
  const older = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(older)}`]
  const problem =
    /Vitrine requires Node 24\.9 or newer; this is Node 20\.20\.2\.\nRun "npm install node@26"/
  const command = run(process.execPath, [...flags, inPackage('bin/vitrine.js'), '--version'])
  await assert.rejects(command, { code: 2, stderr: problem })
  const program = run(process.execPath, [...flags, '-e', "import('vitrine')"], { cwd: installed })
  await assert.rejects(program, { stderr: problem })
})

test('a CommonJS program can require it', async () => {
  const program = "console.log(typeof require('vitrine').buildApp)"
  const { stdout, stderr } = await run(process.execPath, ['-e', program], { cwd: installed })
  assert.deepEqual([stdout, stderr], ['function\n', ''])
})

test('an image has the drivers too, all in the versions of the lock file', async () => {
  const image = join(folder, 'image')
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  for (const file of [join('..', tarball), 'package-lock.json', '.npmrc']) {
    await cp(join(copy, file), join(image, basename(file)))
  }
  const install = stages[1]?.find(({ name }) => name === 'RUN')?.text ?? ''
  await run('sh', ['-c', install], { cwd: image, env: environment })
  const locked = await readLock(copy)
  const brought = await readLock(image)
  for (const [path, { version }] of Object.entries(brought)) {
    assert.equal(version, locked[path]?.version, path)
  }
  for (const name of Object.keys({
    ...packageJson.peerDependencies,
    ...packageJson.dependencies,
  })) {
    assert.ok(existsSync(join(image, 'node_modules', name)), name)
  }
  assert.ok(!existsSync(join(image, 'node_modules/typescript')))
})

test('it runs on Node 24 too', async (t) => {
  const older = await makeFolder(join(folder, 'node-24'))
  const binary = `node-${process.platform}-${process.arch}`
  try {
    await npm(older, 'install', `${binary}@^24`)
  } catch (error) {
    if (!String(error).includes('E404')) throw error
    t.skip(`there is no ${binary}`)
    return
  }
  const node = join(older, 'node_modules', binary, 'bin/node')
  assert.match((await run(node, ['--version'])).stdout, /^v24\./)
  const { origin, stop, output } = await start(t, node, [inPackage('bin/vitrine.js')])
  await send(origin)
  assert.equal(await stop(), 0)
  assert.doesNotMatch(output(), /warning/i)
})
