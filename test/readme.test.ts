import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { settingNames, settings, toEnvironmentName, toFlagName } from '../src/config/settings.ts'
import { demos } from '../src/demos/catalogue.ts'
import { projectFolder, startVitrine } from './start-vitrine.ts'
import { testApp } from './test-app.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const run = promisify(execFile)

test('the table of settings is what the code has', () => {
  const rows = settingNames.map((name) => {
    const { default: fallback, description } = settings[name]
    const shown = fallback === undefined ? 'unset' : `\`${fallback}\``
    return `| \`${toEnvironmentName(name)}\` | \`--${toFlagName(name)}\` | ${shown} | ${description} |`
  })
  const table = ['| Variable | Flag | Default | Meaning |', '| --- | --- | --- | --- |', ...rows]
  const [, written] = /<!-- settings:.*-->\n\n([^]*?)\n+<!-- \/settings -->/.exec(readme) ?? []
  assert.equal(written, table.join('\n'))
})

test('the table of the preset is what the code has', () => {
  const rows = settingNames.flatMap((name) => {
    const { default: fallback = '', publicDefault } = settings[name]
    if (publicDefault === undefined) return []
    return [`| \`${toEnvironmentName(name)}\` | \`${publicDefault}\` | \`${fallback}\` |`]
  })
  const table = [
    '| Variable | With `--preset public` | Otherwise |',
    '| --- | --- | --- |',
    ...rows,
  ]
  const [, written] = /<!-- preset:.*-->\n\n([^]*?)\n+<!-- \/preset -->/.exec(readme) ?? []
  assert.equal(written, table.join('\n'))
})

test('the table of rooms names every room, and every route in it is there', async (t) => {
  const app = await testApp(t)
  const section = readme.slice(readme.indexOf('## Rooms'), readme.indexOf('## Settings'))
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

const blocks = [...readme.matchAll(/```console\n([^]*?)```/g)].map(([, block = '']) => block)

test('every command of the tour answers as shown', async (t) => {
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
