import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cost, FigureResult, Results } from './results.ts'
import { rows, type Row } from './rows.ts'
import { toRatios, toSpread, type Slice, type Spread } from './slices.ts'

const page = join(import.meta.dirname, '../docs/performance.md')

/** Why a goal is missed, by the name of the row. */
const reasons: Readonly<Record<string, string>> = {
  json: 'The request id, the checks of the head, the tag, the method override and the timeout of writes take 0.1 to 0.4 µs each, and a bare Fastify application has none of them. Socket writes, Node.js and garbage collection are most of the rest, and the baseline has them too.',
  'json-logged': 'The same as for `GET /api/json`.',
  inspector:
    'An exchange has about 20 texts, which are joined and written outside of the heap. The objects for it make garbage collection more frequent by a quarter.',
  'inspector-logged': 'The same, beside Vitrine with a log line and without the inspector.',
  record:
    'The same. Reading the header of the log of SQLite, so that a write of another process is seen at once, takes 0.9 µs more, and matching the four patterns of the route 0.6 µs.',
  'not-modified': 'The same as for the record.',
  page: 'The same as for the record.',
  'echo-json':
    'The same as for `GET /api/json`. The coding, charset, digests and depth of the body are also checked.',
  'echo-form':
    'The same as for JSON. The form is also checked for brackets, for empty names, and for fields that stand for headers.',
  httpbin:
    'The headers of the request are named, sorted and written as indented JSON, which takes 4 µs, and the head gets the names and reason phrases of httpbin, which takes 2 µs. `/api/json` has a constant body.',
  file: 'Each request asks the file system whether the file has changed: 2 µs for the system call and 0.6 for its result. The baseline also lacks routing, hooks and the request id.',
  upload: 'Garbage collection, writing the file and SHA-256 take the time, in this order.',
  idle: 'Node.js with `node:http` alone takes 58 MB. The heap takes 25, of which 8 are for new objects.',
  start: 'Loading the modules takes most of it. The package is one file, and starts faster.',
  latency:
    'The clients share a core and delay each other: when the server and both had real-time priority, the ratio was 0.92. A turn of the list takes 0.2 ms.',
  replicas:
    'The cores are shared: four processes of bare `node:http` with the same SELECT on PostgreSQL fall to 0.70 (0.62 to 0.92) of one, when four of Vitrine fall to 0.61.',
}

const method = `## How it is measured

The CPU time of the server process per request, with all threads and child processes, comes from
\`/proc/<pid>/task/*/schedstat\`. Programs take turns in slices of a fixed number of requests, in alternating
order, after a warm-up of four slices. A ratio compares two slices of one round. The tables have the median
and, in brackets, the 10th and the 90th percentile.

Servers run on the first of two cores, one process each. h2load sends 32 requests at once from the same core,
as a batch process, which does not interrupt the server. From another core, the time of the server would
include waking up the client for each response: up to 11 µs, and more for a slow server than for a fast one,
whose client never sleeps. The requests per second include the time of the client. PostgreSQL runs on the
second core, from which latencies are also measured.

A baseline does the same work: \`fastify\` sends the same headers and body, \`fastify-logged\` also writes a
log line, and \`fastify-echo\` parses and sends the body. \`node-insert\` is \`node:http\` with the same INSERT
in the same batches, and \`node-http\` sends a file from memory. Over HTTP/2 the baseline has the same
certificate. The other programs do the same job in their own way.
`

/** Writes `docs/performance.md`. */
export async function writeReport(results: Results): Promise<void> {
  await writeFile(page, renderReport(results))
}

function renderReport(results: Results): string {
  const figures = (isScale: boolean) =>
    Object.entries(results)
      .filter(([name]) => name.startsWith('scale') === isScale)
      .map(([, result]) => result?.figures ?? [])
  const costs = rows.map((row) => toCostLine(row, results[row.name]?.costs))
  const others = figures(false).flat().map(toFigureLine)
  return `# Performance

${toSummary(results)}
${toTable('Request|CPU µs|Requests/s|Baseline, CPU µs|Vitrine ÷ baseline|Goal|Other programs, CPU µs', costs)}
${toTable('What|Median|p10 to p90|Goal', others)}
${toMissedGoals(results)}## Scale

Measured at the client with 10,000,000 records, one request after another, in µs. A page has 20 records.
Other programs used the machine meanwhile, which raises the 90th percentiles.

${toTable('Request|SQLite|PostgreSQL', toScaleLines(figures(true)))}
${method}
${toConditions(results)}
`
}

function toSummary(results: Results): string {
  const toSentence = (name: string, what: string) => {
    const [own, baseline, ...peers] = results[name]?.costs ?? []
    if (!own || !baseline) return ''
    const more = `${((baseline.ratio.median - 1) * 100).toFixed(0)} % more than in a bare Fastify application`
    const others = peers.map(({ program, cpu }) => `${toText(cpu.median)} in ${program}`)
    return `- ${what} costs ${toText(own.cpu.median)} µs of CPU time, ${more} with the same headers.
${others.length > 0 ? `  The same job costs ${others.join(', ')}.\n` : ''}`
  }
  const goals = [...toGoals(results)]
  const ratios = Object.values(results).flatMap((result) => result?.costs?.slice(1, 2) ?? [])
  const spread = (one: (cost: Cost) => Spread) =>
    (
      toSpread(ratios.map(one).map(({ median, p10, p90 }) => (p90 - p10) / median)).median * 100
    ).toFixed(0)
  return `${toSentence('json', 'A small JSON document')}${toSentence('record', 'A record')}- ${String(goals.filter(({ isMet }) => isMet).length)} of ${String(goals.length)} goals are met.
- From the 10th to the 90th percentile, ratios vary by ${spread(({ ratio }) => ratio)} %, CPU times by ${spread(({ cpu }) => cpu)} %, and requests per
  second by ${spread(({ rate }) => rate)} % (medians of all requests).
`
}

function* toGoals(results: Results) {
  for (const { name, title, goal } of rows) {
    const { costs: [own, baseline] = [], parts = {} } = results[name] ?? {}
    if (goal === undefined || !own || !baseline) continue
    yield { name, title, isMet: baseline.ratio.median <= goal, parts, cpu: own.cpu.median }
  }
  for (const [name, { figures = [] } = {}] of Object.entries(results)) {
    for (const { title, spread, goal } of figures) {
      if (goal) yield { name, title, isMet: isReached(spread, goal), parts: {}, cpu: NaN }
    }
  }
}

function toMissedGoals(results: Results): string {
  const missed = [...toGoals(results)].filter(({ isMet }) => !isMet)
  if (missed.length === 0) return ''
  const lines = missed.map(({ name, title, parts, cpu }) => {
    const largest = Object.entries(parts).slice(0, 8)
    const times = largest.map(([part, share]) => `${part} ${toText(share * cpu)}`)
    return [title, times.join(', '), reasons[name] ?? '']
  })
  return `## Goals that are missed

Parts of the CPU time come from a profile of Vitrine. A folder includes its calls of C++, and Node.js has the
HTTP server and the streams.

${toTable('What|Largest parts of the CPU time, µs|Reason', lines)}
`
}

function toCostLine({ title, goal }: Row, costs: readonly Cost[] = []): string[] {
  const [own, baseline, ...peers] = costs
  if (!own || !baseline) return []
  const { program, ratio, cpu } = baseline
  const rate = toText(own.rate.median)
  const isMet = goal === undefined ? '' : `${String(goal)}: ${toWord(ratio.median <= goal)}`
  const others = peers.map((peer) => `${peer.program} ${toText(peer.cpu.median)}`).join(', ')
  return [
    title,
    toRange(own.cpu),
    rate,
    `${program} ${toText(cpu.median)}`,
    toRange(ratio, 2),
    isMet,
    others,
  ]
}

function toFigureLine({ title, unit, spread, goal }: FigureResult): string[] {
  const { median, p10, p90 } = spread
  const cells = [title, `${toText(median)} ${unit}`.trim()]
  cells.push(p10 === p90 ? '' : `${toText(p10)} to ${toText(p90)}`)
  if (goal === undefined) return [...cells, '']
  const words =
    'atLeast' in goal ? `at least ${toText(goal.atLeast)}` : `at most ${toText(goal.atMost)}`
  return [...cells, `${words}: ${toWord(isReached(spread, goal))}`]
}

function toScaleLines([first = [], second = []]: readonly (readonly FigureResult[])[]): string[][] {
  const find = (title: string) => second.find((figure) => figure.title === title)
  const toCell = (figure?: FigureResult) => (figure ? toRange(figure.spread) : '')
  return first.map((figure) => [figure.title, toCell(figure), toCell(find(figure.title))])
}

function toConditions(results: Results): string {
  const days = Object.values(results).flatMap((result) => result?.day ?? [])
  const programs = Object.values(results).flatMap((result) => result?.costs ?? [])
  const versions = [...new Set(programs.map(({ program, version }) => `${program} ${version}`))]
  const [first, last] = [days.toSorted()[0], days.toSorted().at(-1)]
  return `Measured on ${[...new Set([first, last])].join(' to ')}. Versions: ${versions.join(', ')}.`
}

function isReached({ median }: Spread, goal: NonNullable<FigureResult['goal']>): boolean {
  return 'atLeast' in goal ? median >= goal.atLeast : median <= goal.atMost
}

const toWord = (isMet: boolean) => (isMet ? 'yes' : 'no')

export function toComparison(row: Row, slices: ReadonlyMap<'base' | 'this', Slice[]>): string {
  const [base = [], own = []] = [slices.get('base'), slices.get('this')]
  const median = (each: readonly Slice[]) => toText(toSpread(each.map(({ cpu }) => cpu)).median)
  const ratio = toRange(toSpread(toRatios(own, base)), 2)
  return `${row.name.padEnd(14)} ${median(base).padStart(6)} → ${median(own).padStart(6)} µs, ratio ${ratio}`
}

export const toLine = (cells: readonly string[]) =>
  cells.length > 0 ? `| ${cells.join(' | ')} |\n` : ''

/** The lines of a row in its table. */
export function toLines(row: Row | undefined, { costs, figures = [] }: Results[string] & object) {
  const lines = row ? [toCostLine(row, costs)] : figures.map(toFigureLine)
  return lines.map(toLine).join('')
}

function toTable(head: string, lines: readonly (readonly string[])[]): string {
  const names = head.split('|')
  return [names, names.map(() => '---'), ...lines].map(toLine).join('')
}

function toRange({ median, p10, p90 }: Spread, digits?: number): string {
  const toShown = (value: number) => (digits === undefined ? toText(value) : value.toFixed(digits))
  return p10 === p90 ? toShown(median) : `${toShown(median)} (${toShown(p10)} to ${toShown(p90)})`
}

function toText(number: number): string {
  const maximumFractionDigits = number < 10 ? 2 : number < 100 ? 1 : 0
  return number.toLocaleString('en', { maximumFractionDigits })
}
