import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { findChromium } from '../support/find-chromium.ts'
import { projectFolder } from '../support/start-vitrine.ts'
import { copyRepository, environment, makeFolder, npm, packPackage } from './installed-package.ts'

const guide = await readFile(join(projectFolder, 'docs/testing-a-frontend.md'), 'utf8')
const blocks = [...guide.matchAll(/(?<=```js\n)[^]*?(?=```)/g)].map(([block]) => block)
/** The example with these texts. */
const findBlock = (...texts: readonly string[]) =>
  blocks.find((block) => texts.every((text) => block.includes(text))) ?? ''

let folder: string
/** The project of a frontend that has installed the package. */
let frontend: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-frontend-'))
  const tarball = await packPackage(await copyRepository(folder), folder)
  frontend = await makeFolder(join(folder, 'frontend'))
  const tools = ['vitest@5', 'vite@8', 'jest@30', '@playwright/test@1']
  await npm(frontend, 'install', tarball, ...tools)
})
after(() => rm(folder, { recursive: true, force: true }))

const write = (name: string, contents: string) => writeFile(join(frontend, name), contents)

/** A run that does not end by itself fails. */
async function npx(args: readonly string[], variables: Record<string, string> = {}) {
  const env = { ...environment, NO_COLOR: '1', ...variables }
  const options = { cwd: frontend, env, timeout: 240_000 }
  const { stdout, stderr } = await promisify(execFile)('npx', ['--no', '--', ...args], options)
  return stdout + stderr
}

test('the example of Vitest passes, and ends by itself', async () => {
  await write('posts.vitest.test.js', findBlock("'vitest'"))
  assert.match(await npx(['vitest', 'run', 'posts.vitest']), /Tests +1 passed/)
})

test('the example of Jest passes, and ends by itself', async () => {
  await write('posts.jest.test.js', findBlock("'vitest'").replace("'vitest'", "'@jest/globals'"))
  const args = ['jest', '--testEnvironment=node', 'posts.jest']
  const output = await npx(args, { NODE_OPTIONS: '--experimental-vm-modules' })
  assert.match(output, /Tests: +1 passed/)
})

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return String(port)
}

test('the example of Playwright passes with Vite, and ends by itself', async (t) => {
  const chromium = findChromium()
  if (chromium === undefined) {
    t.skip('Chromium is not installed')
    return
  }
  const [port, vitePort] = [await findFreePort(), await findFreePort()]
  const withPorts = (text: string) =>
    text.replaceAll(':3000', `:${port}`).replaceAll(':5173', `:${vitePort}`)
  await write('db.json', '{"posts":[{"id":1,"title":"Hello"}]}')
  await write(
    'index.html',
    withPorts(`<!doctype html><script type="module">
    const response = await fetch('http://127.0.0.1:3000/posts')
    if (!response.ok) document.body.innerHTML = '<p role="alert">Try again.</p>'
  </script>`),
  )
  await write(
    'vite.config.js',
    `export default { server: { port: ${vitePort}, strictPort: true } }`,
  )
  await write('playwright.config.js', withPorts(findBlock('defineConfig')))
  await write('error.spec.js', withPorts(findBlock("'@playwright/test'", 'page.goto')))
  const use = `use: { ...config.use, launchOptions: { executablePath: ${JSON.stringify(chromium)} } }`
  await write(
    'installed-browser.config.js',
    `import config from './playwright.config.js'\nexport default { ...config, ${use} }`,
  )
  const args = ['playwright', 'test', '--config=installed-browser.config.js', 'error.spec.js']
  assert.match(await npx(args, { PORT: port }), /1 passed/)
})
