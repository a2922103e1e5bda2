import type { Figure, Point, Result } from './results.ts'
import { rows, type Row } from './rows.ts'
import { divide, summarize } from './statistics.ts'

export const ratesHead = `| Row | Contender | Ratio | Spread | To reach | Met | Requests/s | CPU µs |
| --- | --- | --- | --- | --- | --- | --- | --- |`

export const figuresHead = `| What | Median | Spread | To reach | Met |
| --- | --- | --- | --- | --- |`

/** The rows of a result in its Markdown table. */
export function toLines(name: string, result: Result): string {
  switch (result.kind) {
    case 'rates': {
      const row = rows.find((one) => one.name === name)
      return row ? toRateLines(row, result.turns).join('\n') : ''
    }
    case 'figures':
      return result.figures.map(toFigureLine).join('\n')
    case 'growth':
      return toGrowthFigures(result.points).map(toFigureLine).join('\n')
  }
}

type Turns = Extract<Result, { kind: 'rates' }>['turns']

function toRateLines(row: Row, turns: Turns): string[] {
  const ratesOf = (name: string) => (turns[name] ?? []).map(({ rate }) => rate)
  const lines = Object.keys(turns).map((name) => {
    const ratios = divide(ratesOf(name), ratesOf(row.limit))
    const target = name === 'vitrine' ? row.target : undefined
    const rate = toText(summarize(ratesOf(name)).median)
    const cost = toText(summarize((turns[name] ?? []).map((turn) => turn.cost)).median)
    return toLine([row.title, name, ...toCells(ratios, target), rate, cost])
  })
  if (!row.timesPeer) return lines
  const { peer, target } = row.timesPeer
  const ratios = divide(ratesOf('vitrine'), ratesOf(peer))
  const title = `the same, as a ratio of ${peer}`
  return [...lines, toLine([title, 'vitrine', ...toCells(ratios, target), '', ''])]
}

function toCells(ratios: readonly number[], target: number | undefined): string[] {
  const { median, lowest, highest } = summarize(ratios)
  const spread = `${lowest.toFixed(2)} to ${highest.toFixed(2)}`
  // The reference is not installed.
  if (Number.isNaN(median)) return ['', '', target?.toFixed(2) ?? '', '']
  if (target === undefined) return [median.toFixed(2), spread, '', '']
  return [median.toFixed(2), spread, target.toFixed(2), median >= target ? 'yes' : 'no']
}

function toFigureLine({ title, unit, values, target }: Figure): string {
  const { median, lowest, highest } = summarize(values)
  const spread = values.length > 1 ? `${toText(lowest)} to ${toText(highest)}` : ''
  const cells = [title, `${toText(median)} ${unit}`.trim(), spread]
  if (target === undefined) return toLine([...cells, '', ''])
  const [words, isMet] =
    'atLeast' in target
      ? [`at least ${toText(target.atLeast)}`, median >= target.atLeast]
      : [`at most ${toText(target.atMost)}`, median <= target.atMost]
  return toLine([...cells, words, isMet ? 'yes' : 'no'])
}

/** The rate with the most records as a ratio of the rate with the fewest. */
function toGrowthFigures(points: readonly Point[]): Figure[] {
  const [fewest, most] = [points[0], points.at(-1)]
  if (!fewest || !most) return []
  const beside = `beside ${toText(most.records)} records, as a ratio of ${toText(fewest.records)}`
  return (['show', 'create'] as const).map((what) => ({
    title: `${what} ${beside}`,
    unit: '',
    values: divide(
      most[what].map(({ rate }) => rate),
      fewest[what].map(({ rate }) => rate),
    ),
    target: { atLeast: 0.85 },
  }))
}

function toText(number: number): string {
  return number.toLocaleString('en', {
    maximumFractionDigits: number < 10 ? 2 : number < 100 ? 1 : 0,
  })
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
