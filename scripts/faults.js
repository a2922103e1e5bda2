// Runs the fault suite with fifty kills per test, and writes docs/faults.md.
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from 'node:test'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'test/faults')
const titles = {
  'admin-workers': 'The admin port of workers',
  crash: 'A process that is killed, on SQLite',
  'cut-off': 'A restore that is killed',
  damage: 'A database file that is damaged',
  database: 'A database file that another process has locked',
  'disk-full': 'A disk that is full or read-only',
  'large-list': 'A large list',
  log: 'A log that cannot be written',
  pgbouncer: 'PgBouncer in front of PostgreSQL',
  'postgres-replicas': 'Replicas on PostgreSQL, and failover',
  'postgres-start': 'A start without PostgreSQL',
  postgres: 'PostgreSQL that fails',
  readiness: 'Readiness',
  redis: 'Redis that fails',
  'repeated-requests': 'Repeated requests after a kill',
  'rolling-restart': 'Rolling restarts behind nginx',
  s3: 'S3 that fails',
  stop: 'A stop under load',
  'stop-in-flight': 'Requests in flight at a stop',
  workers: 'Workers',
}
// The totals of the test runner.
const summary = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /

process.env.FAULT_ROUNDS ??= '50'
const sections = []
for (const [name, title] of Object.entries(titles)) {
  sections.push(`## ${title}\n\n${toTable(await runFile(join(folder, `${name}.test.ts`)))}`)
}
const missing = (await readdir(folder))
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => !(file.replace('.test.ts', '') in titles))
if (missing.length > 0) throw new Error(`no title for ${missing.join(', ')}`)

await writeFile(
  join(root, 'docs/faults.md'),
  `# Faults

What happens when something fails. \`node scripts/faults.js\` runs the fault suite on real processes, servers
and disks, and writes this page. CI runs the same tests with fewer rounds. A write is lost if it was
acknowledged and is missing or different afterwards.

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.env.FAULT_ROUNDS} kills per test.

${sections.join('\n\n')}
`,
)

async function runFile(file) {
  const outcomes = []
  for await (const { type, data } of run({ files: [file], concurrency: 1 })) {
    if (type === 'test:diagnostic' && !summary.test(data.message)) {
      outcomes.at(-1)?.figures.push(data.message)
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type === 'suite' || data.name.endsWith('.test.ts')) continue
    const isSkipped = data.skip !== undefined && data.skip !== false
    const outcome = isSkipped ? `skipped: ${data.skip}` : type === 'test:pass' ? 'held' : 'FAILED'
    console.log(`${outcome}: ${data.name}`)
    const seconds = data.details.duration_ms / 1000
    outcomes.push({ name: data.name, outcome, seconds, figures: [] })
    if (outcome === 'FAILED') process.exitCode = 1
  }
  return outcomes
}

function toTable(outcomes) {
  const rows = outcomes.map(
    ({ name, outcome, figures, seconds }) =>
      `| ${name} | ${outcome} | ${figures.join('; ')} | ${seconds.toFixed(1)} |`,
  )
  return ['| Test | Outcome | Figures | Seconds |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
