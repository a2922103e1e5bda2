import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { demos } from '../src/demos/catalogue.ts'
import { tables } from './settings-tables.ts'
import { projectFolder, startVitrine } from './start-vitrine.ts'
import { testApp } from './test-app.ts'

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8')
const readme = read('README.md')
const documents = [
  ...['README.md', 'SECURITY.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(projectFolder, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const run = promisify(execFile)

for (const { file, name, text } of tables) {
  test(`the table of ${name} in ${file} is the one of the code`, () => {
    const pattern = new RegExp(`<!-- ${name}:.*-->\\n\\n([^]*?)\\n+<!-- /${name} -->`)
    assert.equal(pattern.exec(read(file))?.[1], text, 'npm run docs:settings writes it')
  })
}

for (const file of documents) {
  test(`every file that ${file} links to or names exists`, () => {
    const text = read(file)
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
      join(dirname(file), target),
    )
    const named = [
      ...text.matchAll(/`((?:src|test|docs|deploy|decisions|scripts)\/[\w./-]+\.\w+)`/g),
    ]
    const paths = [...links, ...named.map(([, path = '']) => path)]
    const missing = paths.filter((path) => !existsSync(join(projectFolder, path)))
    assert.deepEqual(missing, [])
  })
}

test('the table of demos names every demo, and every route in it exists', async (t) => {
  const app = await testApp(t)
  const section = readme.slice(readme.indexOf('## Demos'), readme.indexOf('## Documentation'))
  const named = [...section.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(
    named,
    demos.map(({ name }) => name),
  )
  const routes = [...section.matchAll(/`([A-Z]+) (\/\S*)`/g)]
  assert.ok(routes.length > 20)
  for (const [route, method = '', path = ''] of routes) {
    const { headers } = await app.inject({
      method: 'OPTIONS',
      url: path.replace(':code', '200').replace(':id', 'one'),
    })
    const offered = path === '/status/:code' ? [method] : String(headers.allow).split(', ')
    assert.ok(offered.includes(method), route)
  }
})

/** What differs from run to run: ids, times, and the port. */
function withoutVariables(text: string): string {
  return text
    .replaceAll('\r', '')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/\/uploads\/[\w-]{22}/g, '/uploads/ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/^Date: .*$/gm, 'Date: NOW')
    .trimEnd()
}

const commands = ['README.md', 'docs/http-features.md', 'docs/resources.md', 'docs/operating.md']
const blocks = [
  ...commands
    .map(read)
    .join('\n')
    .matchAll(/```console\n([^]*?)```/g),
].map(([, block = '']) => block)

test('every command of the documentation prints what is shown', async (t) => {
  const { origin } = await startVitrine(t)
  const steps = blocks.flatMap((block) => block.split(/^\$ /m).slice(1))
  assert.ok(steps.length > 15)
  for (const step of steps) {
    const [command = '', ...shown] = step.split('\n')
    const silent = command
      .replace(/^curl /, 'curl -sS ')
      .replaceAll('http://127.0.0.1:3000', origin)
    const { stdout } = await run('bash', ['-c', silent], { cwd: projectFolder })
    const answered = stdout.replaceAll(origin, 'http://127.0.0.1:3000')
    assert.equal(withoutVariables(answered), withoutVariables(shown.join('\n')), command)
  }
})
