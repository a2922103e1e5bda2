import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rows, type Contender, type Row } from './rows.ts'
import { toRatios, toSpread, type Slice } from './slices.ts'

/** A measurement without a baseline. */
export interface Figure {
  title: string
  unit: string
  /** One for each round. */
  values: readonly number[]
  goal?: { atLeast: number } | { atMost: number }
}

const page = join(import.meta.dirname, '../docs/performance.md')
const file = join(import.meta.dirname, 'results.json')
const costHead = '| Request | Program | CPU µs | p10 to p90 | Requests/s | Vitrine ÷ it | Goal |'
const figureHead = '| What | Median | p10 to p90 | Goal |'

/** The lines of a row in the table of costs. */
export function toCostLines(row: Row, slices: ReadonlyMap<Contender, readonly Slice[]>): string[] {
  const own = slices.get('vitrine')
  return [...slices].map(([name, each]) => {
    const cpu = toSpread(each.map((slice) => slice.cpu))
    const rate = toSpread(each.map((slice) => slice.rate)).median
    const costs = [toText(cpu.median), `${toText(cpu.p10)} to ${toText(cpu.p90)}`]
    if (name === 'vitrine') return toLine([row.title, name, ...costs, toText(rate), '', ''])
    const ratio = toSpread(toRatios(own, each))
    const goal = name === row.baseline ? row.goal : undefined
    const isMet =
      goal === undefined ? '' : `${String(goal)}: ${ratio.median <= goal ? 'yes' : 'no'}`
    return toLine(['', name, ...costs, toText(rate), toRatioText(ratio), isMet])
  })
}

export function toFigureLine({ title, unit, values, goal }: Figure): string {
  const { median, p10, p90 } = toSpread(values)
  const spread = values.length > 1 ? `${toText(p10)} to ${toText(p90)}` : ''
  const cells = [title, `${toText(median)} ${unit}`.trim(), spread]
  if (goal === undefined) return toLine([...cells, ''])
  const [words, isMet] =
    'atLeast' in goal
      ? [`at least ${toText(goal.atLeast)}`, median >= goal.atLeast]
      : [`at most ${toText(goal.atMost)}`, median <= goal.atMost]
  return toLine([...cells, `${words}: ${isMet ? 'yes' : 'no'}`])
}

export function toComparison(row: Row, slices: ReadonlyMap<'base' | 'this', Slice[]>): string {
  const [base = [], own = []] = [slices.get('base'), slices.get('this')]
  const median = (each: readonly Slice[]) => toText(toSpread(each.map(({ cpu }) => cpu)).median)
  const ratio = toRatioText(toSpread(toRatios(own, base)))
  return `${row.name.padEnd(14)} ${median(base).padStart(6)} → ${median(own).padStart(6)} µs, ratio ${ratio}`
}

/** Stores the lines of a row, and writes the tables of `docs/performance.md` anew. */
export async function writeResult(name: string, lines: readonly string[]): Promise<void> {
  const results = { ...(await readResults()), [name]: lines }
  await writeFile(file, `${JSON.stringify(results, null, 1)}\n`)
  const toTable = (head: string, keys: readonly string[]) =>
    [head, head.replace(/[^|]+/g, ' --- '), ...keys.flatMap((key) => results[key] ?? [])].join('\n')
  const names = rows.map((row) => row.name)
  const costs = toTable(costHead, names)
  const figures = toTable(
    figureHead,
    Object.keys(results).filter((key) => !names.includes(key)),
  )
  const text = await readFile(page, 'utf8')
  await writeFile(page, replaceTable(replaceTable(text, costHead, costs), figureHead, figures))
}

async function readResults(): Promise<Record<string, readonly string[]>> {
  return JSON.parse(await readFile(file, 'utf8')) as Record<string, readonly string[]>
}

/** Replaces the table that begins with a head. */
function replaceTable(text: string, head: string, table: string): string {
  const start = text.indexOf(head)
  if (start === -1) throw new Error(`docs/performance.md has no table with the head ${head}`)
  const end = text.indexOf('\n\n', start)
  return text.slice(0, start) + table + (end === -1 ? '\n' : text.slice(end))
}

function toRatioText({ median, p10, p90 }: ReturnType<typeof toSpread>): string {
  return `${median.toFixed(2)} (${p10.toFixed(2)} to ${p90.toFixed(2)})`
}

function toText(number: number): string {
  const maximumFractionDigits = number < 10 ? 2 : number < 100 ? 1 : 0
  return number.toLocaleString('en', { maximumFractionDigits })
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
