import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cost, FigureResult, Results } from './results.ts'
import { rows, type Row } from './rows.ts'
import { toRatios, toSpread, type Slice, type Spread } from './slices.ts'

const page = join(import.meta.dirname, '../docs/performance.md')

/** Why a goal without a peer is missed, by the name of the row. */
const reasons: Readonly<Record<string, string>> = {
  upload: 'Garbage collection, writing the file and SHA-256 take the time, in this order.',
  idle: 'Node.js with `node:http` alone takes 58 MB. The heap takes 25, of which 8 are for new objects.',
  start: 'Loading the modules takes most of it. The package is one file, and starts faster.',
  replicas:
    'The processes share two cores with the client and with PostgreSQL. On a busier machine, four processes of bare `node:http` with the same SELECT lost nearly as much: 0.70 of one process, when four of Vitrine had 0.61.',
}

const method = `## How it is measured

Each job is done by Vitrine and by the program that people use for it, with the same data. The CPU time of the
server for each request, with all threads and child processes, comes from \`/proc/<pid>/task/*/schedstat\`.
Programs take turns in slices of a fixed number of requests, in alternating order, after a warm-up of four
slices. A ratio compares two slices of one round. The tables have the median and, in brackets, the 10th and the
90th percentile.

Servers run on the first of two cores. h2load sends requests from the second one, on 16 connections, as a client
on another machine would. The URLs of the requests differ: a number from 1 to 1,000 is a part of each.
\`npm run bench -- peers\` measures the table of jobs again, and \`npm run bench\` the others too.

Until version 0.2 the client had 32 connections and shared the core of the server, and sent one URL again and
again. A server then reads many requests at once, and never wakes up the client, so a request costs up to 11 µs
less than with a client on another core. These figures are as a user sees them.
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
  const costs = rows.flatMap((row) => toCostLines(row, results[row.name]?.costs))
  const others = figures(false).flat().map(toFigureLine)
  return `# Performance

${toSummary(results)}
${toTable(costHead, costs)}
${toTable('What|Median|p10 to p90|Goal', others)}
${toMissedGoals(results)}## Scale

Measured at the client with 10,000,000 records, one request after another, in µs. A page has 20 records.
Other programs used the machine meanwhile, which raises the 90th percentiles.

${toTable('Request|SQLite|PostgreSQL', toScaleLines(figures(true)))}
${method}
${toConditions(results)}
`
}

const costHead = 'Job|CPU µs|Requests/s|Program|CPU µs|Program ÷ Vitrine|Goal'

/** What users ask first: which program needs less, how many requests a core takes, and what Vitrine costs at rest. */
function toSummary(results: Results): string {
  const costs = rows.flatMap(({ name }) => results[name]?.costs?.slice(1) ?? [])
  const programs = [...new Set(costs.map(({ program }) => program))]
  const scores = programs.map((program) => {
    const ratios = costs.filter((cost) => cost.program === program)
    const wins = ratios.filter(({ ratio }) => ratio.median >= 1)
    return `${program} in ${String(wins.length)} of ${String(ratios.length)}`
  })
  const rate = results.location?.costs?.[0]?.rate.median
  const [start, idle] = ['start', 'idle'].map((name) => results[name]?.figures?.[0]?.spread.median)
  const missed = [...toMisses(results)].length
  return `Vitrine needs no more CPU time for a request than ${scores.join(', ')} jobs.
One process on one core responds to ${toText(rate ?? NaN)} requests for a record in a second.
It starts in ${toText(start ?? NaN)} ms and takes ${toText(idle ?? NaN)} MB of memory at rest.

In the first table, “Program ÷ Vitrine” above 1 means that Vitrine needs less. Its goals and those of the second
table are our own: ${String(missed)} of them are missed, and [below](#goals-that-are-missed) is why.
`
}

export function isMet({ peers }: Row, { program, ratio }: Cost): boolean {
  return ratio.median >= (peers[program]?.goal ?? 0)
}

function* toMisses(results: Results) {
  for (const row of rows) {
    const { costs = [], parts = {} } = results[row.name] ?? {}
    const missed = costs.slice(1).filter((cost) => !isMet(row, cost))
    const times = Object.entries(parts).slice(0, 8)
    const cpu = costs[0]?.cpu.median ?? NaN
    for (const { program } of missed) {
      const words = times.map(([part, share]) => `${part} ${toText(share * cpu)}`).join(', ')
      yield [`${row.title}, beside ${program}`, words, row.peers[program]?.reason ?? '']
    }
  }
  for (const [name, { figures = [] } = {}] of Object.entries(results)) {
    for (const { title, spread, goal } of figures) {
      if (goal && !isReached(spread, goal)) yield [title, '', reasons[name] ?? '']
    }
  }
}

function toMissedGoals(results: Results): string {
  const lines = [...toMisses(results)]
  if (lines.length === 0) return ''
  return `## Goals that are missed

The parts come from a profile of Vitrine. A folder includes the calls of C++ that it makes. Node.js stands for its
HTTP server and its streams.

The reasons give times without sockets and with warm caches, in which bare \`node:http\` takes 4.5 µs for a
request. With sockets it takes 12 to 14 µs, and what Vitrine adds takes more than twice as long too: the kernel and
the client replace what the caches of the processor hold.

${toTable('What|Largest parts of the CPU time, µs|Reason', lines)}
`
}

function toCostLines(row: Row, costs: readonly Cost[] = []): string[][] {
  const [own, ...peers] = costs
  if (!own) return []
  const ours = [row.title, toRange(own.cpu), toText(own.rate.median)]
  if (peers.length === 0) return [[...ours, '', '', '', '']]
  return peers.map((cost, index) => {
    const { program, cpu, ratio } = cost
    const goal = row.peers[program]?.goal
    const words = goal === undefined ? '' : `${String(goal)}: ${toWord(isMet(row, cost))}`
    return [
      ...(index === 0 ? ours : ['', '', '']),
      ...[program, toRange(cpu), toRange(ratio, 2), words],
    ]
  })
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
  const lines = row ? toCostLines(row, costs) : figures.map(toFigureLine)
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
