// Rehearses every fault on real servers, the kills fifty times over, and writes docs/faults.md.
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from 'node:test'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'test/faults')
const titles = {
  'admin-workers': 'The admin port of workers',
  crash: 'A process that is killed, on SQLite',
  damage: 'A database file that is damaged',
  database: 'A database file that another process has locked',
  'disk-full': 'A disk that is full or read-only',
  log: 'A log that cannot be written',
  pgbouncer: 'PgBouncer in front of PostgreSQL',
  'postgres-replicas': 'Replicas on PostgreSQL, and failover',
  'postgres-start': 'A start without PostgreSQL',
  postgres: 'PostgreSQL that fails',
  readiness: 'Readiness',
  redis: 'Redis that fails',
  'repeated-requests': 'Requests that are repeated after a kill',
  'rolling-restart': 'Rolling restarts behind nginx',
  s3: 'A bucket that fails',
  stop: 'A stop under load',
  workers: 'Workers',
}
// The closing figures of the runner itself.
const summary = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /

process.env.FAULT_ROUNDS ??= '50'
const sections = []
for (const [name, title] of Object.entries(titles)) {
  sections.push(`## ${title}\n\n${toTable(await rehearse(join(folder, `${name}.test.ts`)))}`)
}
const missing = (await readdir(folder))
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => !(file.replace('.test.ts', '') in titles))
if (missing.length > 0) throw new Error(`no title for ${missing.join(', ')}`)

await writeFile(
  join(root, 'docs/faults.md'),
  `# Faults

What happens when something fails, rehearsed on real processes, servers and disks by
\`node scripts/faults.js\`, which writes this page; CI runs the same tests with fewer rounds. Lost is what
was acknowledged and is not there, or not as it was.

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.env.FAULT_ROUNDS} rounds of each kill.

${sections.join('\n\n')}
`,
)

/** The outcome, the figures and the time of each test in a file. */
async function rehearse(file) {
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
  return ['| Rehearsal | Outcome | Figures | Seconds |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  )
}
