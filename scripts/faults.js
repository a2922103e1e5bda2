// Runs the fault suite with fifty kills per test, and writes docs/faults.md.
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from 'node:test'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'test/faults')
const sections = {
  'Processes that are killed': ['crash', 'repeated-requests', 'cut-off'],
  'Stops and restarts': ['stop', 'stop-in-flight', 'hang-up', 'rolling-restart'],
  'Several processes on one SQLite file': ['processes'],
  'Health checks': ['readiness'],
  'SQLite files': ['damage', 'database'],
  Disks: ['disk-full', 'log', 'lost-storage', 'swapped-folder'],
  PostgreSQL: ['postgres', 'postgres-start', 'postgres-replicas', 'pgbouncer'],
  Redis: ['redis', 'hostile-redis', 'states', 'inspector-replicas', 'inspector-replica-failures'],
  S3: ['s3'],
  'Large lists': ['large-list'],
  'Slow clients': [
    ...['bins', 'compressed-streams', 'exchanges', 'fault-load', 'pending-bytes', 'send-idle'],
    ...['slow-event-client', 'small-chunks', 'unread-connections'],
  ],
}
// The totals of the test runner.
const summary = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /

process.env.FAULT_ROUNDS ??= '50'
const known = Object.values(sections).flat()
const missing = (await readdir(folder)).filter(
  (file) => file.endsWith('.test.ts') && !known.includes(file.replace('.test.ts', '')),
)
if (missing.length > 0) throw new Error(`no section for ${missing.join(', ')}`)

let text = `# Faults

What clients and operators observe when a part of the system fails. A write is lost if it was acknowledged
and is missing or different afterwards.

\`node scripts/faults.js\` tests each sentence on real processes, servers and disks, and writes this page
with the measured values. CI runs the same tests with fewer kills. Measured on
${new Date().toISOString().slice(0, 10)} with Node ${process.version} and ${process.env.FAULT_ROUNDS} kills per test.
`
for (const [title, names] of Object.entries(sections)) {
  const files = names.map((name) => join(folder, `${name}.test.ts`))
  text += `\n## ${title}\n\n${toSentences(await runFiles(files))}\n`
}
await writeFile(join(root, 'docs/faults.md'), text)

async function runFiles(files) {
  const outcomes = []
  for await (const { type, data } of run({ files, concurrency: 1 })) {
    if (type === 'test:diagnostic' && !summary.test(data.message)) {
      outcomes.at(-1)?.figures.push(data.message)
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type === 'suite' || data.name.endsWith('.test.ts')) continue
    const isSkipped = data.skip !== undefined && data.skip !== false
    const state = isSkipped ? 'Not tested: ' : type === 'test:pass' ? '' : 'FAILED: '
    console.log(`${state}${data.name}`)
    if (type === 'test:fail') process.exitCode = 1
    const words = `${state}${data.name}`.split(' ')
    outcomes.push({ words: words.map((word) => [word]), figures: [] })
  }
  return outcomes
}

/** Tests whose names differ in the same single word become one sentence. */
function toSentences(outcomes) {
  const merged = []
  for (const { words, figures } of outcomes) {
    const isVaried = (known, place) => known.length > 1 || known[0] !== words[place][0]
    const like = merged.find((one) => {
      return one.words.length === words.length && one.words.filter(isVaried).length === 1
    })
    if (like === undefined) merged.push({ words, figures })
    else {
      like.words.find(isVaried).push(...words[like.words.findIndex(isVaried)])
      like.figures.push(...figures)
    }
  }
  return merged.map(toSentence).join('\n')
}

function toSentence({ words, figures }) {
  const choices = new Intl.ListFormat('en-GB', { type: 'disjunction' })
  const sentence = words.map((word) => choices.format(word)).join(' ')
  const measured = figures.length > 0 ? ` Measured: ${figures.join('; ')}.` : ''
  return `- ${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${measured}`
}
