// With UPDATE_DOCS=1 (`npm run docs:update`) the documents are written instead of compared.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import {
  describeDefault,
  groupTitles,
  publicDefaults,
  settingNames,
  settings,
  toEnvironmentName,
  toFlagName,
} from '../src/config/settings.ts'
import * as fixedLimits from '../src/config/limits.ts'
import packageJson from '../package.json' with { type: 'json' }
import { demos } from '../src/demos/catalogue.ts'
import type { Demo } from '../src/site/demo.ts'
import { projectFolder, startVitrine, temporaryFolder } from './support/start-vitrine.ts'
import { catalogueApp, testApp } from './support/test-app.ts'

const isUpdate = process.env.UPDATE_DOCS === '1'
const documents = globSync(['*.md', 'docs/*.md', 'decisions/*.md'], { cwd: projectFolder })
const run = promisify(execFile)

function read(path: string): string {
  return readFileSync(join(projectFolder, path), 'utf8')
}

test('the tables of settings in docs/settings.md are generated from the code', () => {
  const head = '| Variable | Flag | Default | With `PRESET=public` | Meaning |'
  const rows = settingNames.flatMap((name) => {
    const title = groupTitles[name]
    const open = publicDefaults[name] && `\`${publicDefaults[name]}\``
    const names = `\`${toEnvironmentName(name)}\` | \`--${toFlagName(name)}\``
    const row = `| ${names} | ${describeDefault(name)} | ${open ?? ''} | ${settings[name].doc} |`
    return title ? ['', `## ${title}`, '', head, '| --- | --- | --- | --- | --- |', row] : [row]
  })
  const table = rows.slice(1).join('\n')
  const path = 'docs/settings.md'
  const [before = '', written = '', after = ''] = read(path).split(
    /(?<=<!-- settings -->\n\n)([^]*)(?=\n\n<!-- \/settings -->)/,
  )
  if (isUpdate) writeFileSync(join(projectFolder, path), before + table + after)
  else assert.equal(written, table)
})

const { mebibyte, ...limits } = fixedLimits

function toShownLimit(name: string, limit: number): string {
  if (name.endsWith('Bytes') || name === 'maxLoadLength')
    if (limit % mebibyte === 0) return `${String(limit / mebibyte)} MiB`
  return limit.toLocaleString('en')
}

test('docs/operating.md lists the fixed limits that a client can meet', async (t) => {
  const [, section = ''] = read('docs/operating.md').split('\n## Limits\n')
  for (const [name, limit] of Object.entries(limits)) {
    for (const value of typeof limit === 'number' ? [limit] : Object.values(limit)) {
      const shown = toShownLimit(name, value)
      await t.test(`${name}: ${shown}`, () => {
        assert.match(section, new RegExp(`(?<![\\d,])${shown}(?!\\d|,\\d)`))
      })
    }
  }
})

test('a number that an error names is a fixed limit or a setting', () => {
  const files = globSync('src/**/*.ts', { cwd: projectFolder })
  const named = files.flatMap((file) => {
    const text = read(file)
    const own = text.matchAll(/^(?:export )?const (\w+) = [\d_* ]+$/gm)
    const inText = (name = '') => new RegExp(`\\$\\{(String\\()?${name}\\b`).test(text)
    return [...own].filter(([, name]) => inText(name)).map(([line]) => `${file}: ${line}`)
  })
  const others = /^src[/\\](stores|cli|data-file)[/\\]/
  assert.deepEqual(
    named.filter((line) => !others.test(line)),
    [],
  )
})

test('the unit of systemd in docs/operating.md sets settings that exist', () => {
  const [file = '', unit = ''] = [/<<'END'\n([^]*?)\nEND/, /```ini\n([^]*?)```/].map(
    (pattern) => pattern.exec(read('docs/operating.md'))?.[1],
  )
  const [, variables = ''] = /^Environment=(.*)$/m.exec(unit) ?? []
  const names = `${file}\n${variables}`.match(/\b[A-Z_]+(?==)/g) ?? []
  const known = settingNames.map(toEnvironmentName)
  assert.ok(names.length > 6)
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
  )
})

const { dependencies, peerDependencies, devDependencies } = packageJson
for (const name of Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies })) {
  if (name.startsWith('@types/')) continue
  test(`decisions/001-dependencies.md names ${name}`, () => {
    const isNamed = new RegExp(`(?<![\\w@/-])${name}(?![\\w/-])`)
    assert.match(read('decisions/001-dependencies.md'), isNamed)
  })
}

test('the example of a demo in ARCHITECTURE.md can be served', async (t) => {
  const [, example = ''] = /```ts\n([^]*?)```/.exec(read('ARCHITECTURE.md')) ?? []
  const source = pathToFileURL(`${projectFolder}/src/`).href
  const file = join(await temporaryFolder(t), 'time.ts')
  await writeFile(file, example.replaceAll("'../../", `'${source}`))
  const { time } = (await import(pathToFileURL(file).href)) as { time: Demo }
  const app = await testApp(t, { demos: [time] })
  assert.match((await app.inject('/time')).body, /^\d{4}-.*Z\n$/)
  assert.equal((await app.inject('/demos/time')).statusCode, 200)
})

test('the table of demos in README.md names every demo and only existing routes', async (t) => {
  const app = await catalogueApp(t)
  const [, section = ''] = /\n## Demos\n([^]*?)\n## /.exec(read('README.md')) ?? []
  // A demo is deleted without its row.
  const rows = [...section.matchAll(/^\| `([a-z-]+)` \|.*$/gm)].filter(([, name]) =>
    demos.some((demo) => demo.name === name),
  )
  assert.deepEqual(
    rows.map(([, name]) => name),
    demos.map(({ name }) => name),
  )
  const routes = [...rows.join('\n').matchAll(/`([A-Z]+) (\/\S*)`/g)]
  assert.ok(routes.length > 20)
  for (const [route, method = '', path = ''] of routes) {
    await t.test(route, async () => {
      const url = path.replace(':code', '200').replace(':id', 'one')
      const { headers } = await app.inject({ method: 'OPTIONS', url })
      const offered = /^\/(status|go-httpbin|responses)\//.test(path)
        ? [method]
        : String(headers.allow).split(', ')
      assert.ok(offered.includes(method))
    })
  }
})

/** Replaces the ids, times and dates that differ between two runs. */
function withoutVariables(text: string): string {
  return text
    .replaceAll('\r', '')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/after=[\w-]+/g, 'after=CURSOR')
    .replace(/\/uploads\/[\w-]{22}/g, '/uploads/ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/^Date: .*$/gm, 'Date: NOW')
    .trimEnd()
}

const commandBlock = /(?<=```console\n)[^]*?(?=```)/g

for (const path of documents.filter((name) => read(name).includes('```console'))) {
  test(`the commands in ${path} have the output shown there`, async (t) => {
    const [, DATA_FILE = ''] = /npm start -- (docs\/\S+\.json)/.exec(read(path)) ?? []
    const { origin } = await startVitrine(t, { DATA_FILE })
    const { declaredRoutes } = await catalogueApp(t, { settings: { DATA_FILE } })
    const segments = new Set(declaredRoutes.map(({ url }) => url.split('/')[1]))
    /** False if the demo of the command has been deleted. */
    const isServed = (command: string) => {
      const [, target = '', segment = 'nowhere'] = /:3000(\/([\w-]+)[^\s?']*)/.exec(command) ?? []
      const isFile = existsSync(join(projectFolder, 'public', target))
      return segment === 'nowhere' || segments.has(segment) || isFile
    }
    let text = read(path)
    for (const [block] of text.matchAll(commandBlock)) {
      const outputs: string[] = []
      for (const step of block.split(/^\$ /m).slice(1)) {
        const [command = '', ...shown] = step.split('\n')
        if (!isServed(command)) {
          outputs.push(`$ ${step}`)
          continue
        }
        const output = await runCommand(command, origin)
        if (isUpdate && withoutVariables(output) !== withoutVariables(shown.join('\n'))) {
          outputs.push(`$ ${command}\n${output.trimEnd()}\n`.replace(/\n+$/, '\n'))
          continue
        }
        outputs.push(`$ ${step}`)
        assert.equal(withoutVariables(output), withoutVariables(shown.join('\n')), command)
      }
      text = text.replace(block, () => outputs.join(''))
    }
    if (isUpdate) writeFileSync(join(projectFolder, path), text)
  })
}

for (const path of documents) {
  test(`curl prints no progress meter in ${path}`, () => {
    const commands = [...read(path).matchAll(/^\$ (curl .*)$/gm)].map(([, command = '']) => command)
    const redirected = commands.filter((command) => / \| | -o /.test(command))
    for (const command of redirected) assert.match(command, /^curl -s/)
  })
}

async function runCommand(command: string, origin: string): Promise<string> {
  const shown = 'http://127.0.0.1:3000'
  const silent = command.replaceAll(/\bcurl /g, 'curl -sS ').replaceAll(shown, origin)
  const { stdout } = await run('bash', ['-c', silent], { cwd: projectFolder })
  return stdout.replaceAll(origin, shown).replaceAll('\r', '')
}

for (const path of documents) {
  test(`every link in ${path} has a target`, () => {
    for (const [, target = ''] of read(path).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const linked = file === '' ? path : join(dirname(path), file)
      assert.ok(existsSync(join(projectFolder, linked)), target)
      if (anchor !== undefined) assert.ok(toAnchors(read(linked)).includes(anchor), target)
    }
  })

  test(`every file named in ${path} exists`, async (t) => {
    const names = read(path)
      .replace(/```[^]*?```/g, '')
      .matchAll(/`((?:src|test|docs|decisions|scripts|bench|deploy|bin|public|\.ci)\/[^`\s<>]*)`/g)
    for (const [, name = ''] of names) {
      if (isOfRemovedDemo(name)) continue
      await t.test(name, () => {
        assert.ok(globSync(name, { cwd: projectFolder }).length > 0)
      })
    }
    for (const [, name = ''] of read(path).matchAll(/`([\w/-]+\.(?:test\.ts|ts|cjs))`/g)) {
      if (isOfRemovedDemo(name)) continue
      assert.ok(existsSync(join(projectFolder, name)), `${name}, from the root of the project`)
    }
  })
}

function isOfRemovedDemo(file: string): boolean {
  const [, folder] = /^src\/demos\/([^/]+)\//.exec(file) ?? []
  return folder !== undefined && !demos.some(({ name }) => name === folder)
}

/** The anchors that GitHub creates for headings. */
function toAnchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
