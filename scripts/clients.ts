// Tries clients with the sequences and faults of /responses, and writes their table in docs/responses.md:
// PYTHON=<python with urllib3, requests and httpie> node scripts/clients.ts
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { findChromium } from '../test/support/find-chromium.ts'
import { npmClients, observe, scenarios, type Client } from '../test/responses/clients.ts'
import { findOrigin, spawnVitrine } from '../test/support/start-vitrine.ts'

const run = promisify(execFile)
const page = fileURLToPath(new URL('../docs/responses.md', import.meta.url))
const sources = fileURLToPath(new URL('../test/responses', import.meta.url))
const python = process.env.PYTHON ?? 'python3'

const printed = (program: string, ...args: readonly string[]): Client => {
  return async (url) => {
    const { stdout } = await run(program, [...args, url])
    return stdout.trim()
  }
}

const folder = await mkdtemp(join(tmpdir(), 'vitrine-clients-'))
const bodyFile = join(folder, 'body')

interface Ended {
  code?: number
  stdout: string
  stderr: string
}

/** Of a program that may fail. */
const runToEnd = (program: string, args: readonly string[]): Promise<Ended> =>
  run(program, args).catch((error: unknown) => error as Ended)

const curl =
  (...flags: readonly string[]): Client =>
  async (url) => {
    const options = ['-s', '-o', bodyFile, '-w', '%{http_code}', '--max-time', '6', ...flags]
    const { code, stdout } = await runToEnd('curl', [...options, url])
    return code === undefined ? stdout : `exit code ${String(code)}`
  }

const httpie: Client = async (url) => {
  const options = ['--ignore-stdin', '--timeout=4', '--print=hb']
  const { stdout, stderr } = await runToEnd(join(dirname(python), 'http'), [...options, url])
  const [, status] = /^HTTP\/\S+ (\d+)/.exec(stdout) ?? []
  const [, error] = /error: (\w+(?: timed out)?)/.exec(stderr) ?? []
  return error ?? status ?? 'no output'
}

const executablePath = findChromium() ?? 'chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })

const inChromium: Client = async (url) => {
  const context = await browser.newContext()
  const tab = await context.newPage()
  try {
    await tab.goto(new URL('/health', url).href)
    return await tab.evaluate(async (target) => {
      try {
        const response = await fetch(target, { signal: AbortSignal.timeout(4000) })
        await response.text()
        return String(response.status)
      } catch (error) {
        return error instanceof Error ? error.name : String(error)
      }
    }, url)
  } finally {
    await context.close()
  }
}

const goClient = join(folder, 'go-client')
await run('go', ['build', '-o', goClient, join(sources, 'client.go')])

const clients: Readonly<Record<string, Client>> = {
  'curl --retry 3': curl('--retry', '3'),
  'curl --retry 3 --retry-all-errors': curl('--retry', '3', '--retry-all-errors'),
  ...npmClients,
  'urllib3 Retry': printed(python, join(sources, 'urllib3_client.py')),
  requests: printed(python, join(sources, 'requests_client.py')),
  HTTPie: httpie,
  'Go net/http': printed(goClient),
  'Chromium fetch': inChromium,
}

const vitrine = spawnVitrine({ PORT: '0', DATABASE_URL: 'sqlite::memory:' })
const origin = await findOrigin(vitrine)
const rows = []
for (const scenario of scenarios) {
  const cells = await Promise.all(
    Object.values(clients).map(async (client) => {
      const { outcome, requests } = await observe(origin, client, scenario)
      return `${outcome} (${String(requests)})`
    }),
  )
  rows.push(`| ${[scenario.title, ...cells].join(' | ')} |`)
  console.log(rows.at(-1))
}
const names = ['The first two responses', ...Object.keys(clients)]
const table = [`| ${names.join(' | ')} |`, `|${' --- |'.repeat(names.length)}`, ...rows].join('\n')
const text = await readFile(page, 'utf8')
const marked = /(<!-- clients -->)[^]*?(<!-- end of clients -->)/
const toText = (_: string, start: string, end: string) => `${start}\n\n${table}\n\n${end}`
await writeFile(page, text.replace(marked, toText))
vitrine.process.kill()
await browser.close()
await rm(folder, { recursive: true })
