import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Contender, Row } from './rows.ts'

export interface Result {
  row: Row
  /** In requests a second, one for each round. */
  rates: ReadonlyMap<Contender, readonly number[]>
}

/** Rows of Markdown: each contender beside the limit of its row, as ratios round by round. */
export function toTable(results: readonly Result[]): string {
  return results
    .flatMap(({ row, rates }) => [...rates.keys()].map((name) => toLine(row, rates, name)))
    .join('\n')
}

function toLine(row: Row, rates: Result['rates'], name: Contender): string {
  const own = rates.get(name) ?? []
  const limit = rates.get(row.limit) ?? []
  const ratios = own.map((rate, round) => rate / (limit[round] ?? NaN)).toSorted((a, b) => a - b)
  const [lowest = NaN, highest = NaN] = [ratios[0], ratios.at(-1)]
  const target = name === 'vitrine' ? row.target.toFixed(2) : ''
  const cells = [
    row.title,
    name,
    median(ratios).toFixed(2),
    `${lowest.toFixed(2)} to ${highest.toFixed(2)}`,
    target,
    Math.round(median(own)).toLocaleString('en'),
  ]
  return `| ${cells.join(' | ')} |`
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

/** Writes `docs/performance.md`. */
export async function writeReport(
  results: readonly Result[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<void> {
  const folder = join(import.meta.dirname, '../docs')
  await mkdir(folder, { recursive: true })
  const [cpu] = cpus()
  const text = `# Performance

Requests answered in a second, as a ratio of the limit of each row: bare \`node:http\` that sends the
same bytes and headers, or nginx. Each contender runs on one core, wrk with 32 connections on
another; in each of ${String(rounds)} rounds all take turns of ${String(seconds)} seconds. The median of the ratios, and the
lowest and highest, which show the noise of the machine. \`npm run bench\` measures again.

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpu?.model.trim() ?? 'an unknown processor'}, ${String(cpus().length)} cores.

| Row | Contender | Ratio | Spread | To reach | Requests/s |
| --- | --- | --- | --- | --- | --- |
${toTable(results)}
`
  await writeFile(join(folder, 'performance.md'), text)
}
