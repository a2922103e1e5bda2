import type { Turn } from './measure.ts'
import type { Point } from './results.ts'
import { summarize } from './statistics.ts'

const [width, height] = [720, 400]
const area = { left: 70, right: 690, top: 60, bottom: 330 }

const style = `
  .ground { fill: #ffffff }
  text { font: 14px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 }
  .grid { stroke: #d0d7de }
  .axis { stroke: #57606a }
  .show { stroke: #0969da; fill: #0969da }
  .create { stroke: #bc4c00; fill: #bc4c00 }
  polyline { fill: none !important; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 }
    text { fill: #e6edf3 }
    .grid { stroke: #30363d }
    .axis { stroke: #8b949e }
    .show { stroke: #58a6ff; fill: #58a6ff }
    .create { stroke: #f0883e; fill: #f0883e }
  }
`

/** An SVG of the cost of a request by the number of records, with a line for each kind. */
export function toPlot(points: readonly Point[]): string {
  const highest = Math.max(...points.flatMap((point) => costs([...point.show, ...point.create])))
  const step = toStep(highest)
  const top = Math.ceil(highest / step) * step
  const toY = (cost: number) => Math.round(area.bottom - (cost / top) * (area.bottom - area.top))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" role="img">
<title>The cost of showing and of creating a record, by the number of records</title>
<style>${style}</style>
<rect class="ground" width="100%" height="100%"/>
<text class="title" x="16" y="28">Processor time of a request, µs</text>
${toGrid(top, step, toY)}
${toLegend()}
${points.map(({ records }, index) => label(toX(index, points.length), area.bottom + 24, records.toLocaleString('en'))).join('\n')}
${label((area.left + area.right) / 2, area.bottom + 54, 'records in the database')}
${toSeries(points, 'show', toY)}
${toSeries(points, 'create', toY)}
</svg>
`
}

function costs(turns: readonly Turn[]): number[] {
  return turns.map(({ cost }) => cost)
}

/** A round step size that results in four to ten steps. */
function toStep(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest))
  return (
    [power / 10, power / 5, power / 2, power, power * 2].find((one) => highest / one <= 8) ?? power
  )
}

/** The axis is logarithmic. */
function toX(index: number, count: number): number {
  const margin = 50
  const span = area.right - area.left - 2 * margin
  return Math.round(area.left + margin + (index / Math.max(1, count - 1)) * span)
}

function toGrid(top: number, step: number, toY: (cost: number) => number): string {
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => {
    const y = String(toY(index * step))
    const text = `<text text-anchor="end" x="${String(area.left - 10)}" y="${String(Number(y) + 5)}">${String(index * step)}</text>`
    const name = index === 0 ? 'axis' : 'grid'
    return `<line class="${name}" x1="${String(area.left)}" x2="${String(area.right)}" y1="${y}" y2="${y}"/>${text}`
  })
  const axis = `<line class="axis" x1="${String(area.left)}" x2="${String(area.left)}" y1="${String(area.top)}" y2="${String(area.bottom)}"/>`
  return [...lines, axis].join('\n')
}

function toLegend(): string {
  const entries = [
    ['show', 'GET /locations/:id'],
    ['create', 'POST /locations'],
  ] as const
  return entries
    .map(([name, text], index) => {
      const x = 400 + index * 170
      return `${mark(name, x, 23)}<text x="${String(x + 12)}" y="28">${text}</text>`
    })
    .join('\n')
}

/** The kinds also differ in shape, for readers who cannot distinguish the colors. */
function mark(name: 'show' | 'create', x: number, y: number): string {
  if (name === 'show') return `<circle class="show" cx="${String(x)}" cy="${String(y)}" r="5"/>`
  return `<rect class="create" x="${String(x - 5)}" y="${String(y - 5)}" width="10" height="10"/>`
}

function toSeries(
  points: readonly Point[],
  name: 'show' | 'create',
  toY: (cost: number) => number,
): string {
  const places = points.map((point, index) => {
    const { median, lowest, highest } = summarize(costs(point[name]))
    const x = toX(index, points.length)
    return { x, y: toY(median), low: toY(lowest), high: toY(highest) }
  })
  const line = places.map(({ x, y }) => `${String(x)},${String(y)}`).join(' ')
  const marks = places.map(
    ({ x, y, low, high }) =>
      `<line class="${name}" x1="${String(x)}" x2="${String(x)}" y1="${String(low)}" y2="${String(high)}"/>${mark(name, x, y)}`,
  )
  return [`<polyline class="${name}" points="${line}"/>`, ...marks].join('\n')
}

function label(x: number, y: number, text: string): string {
  return `<text text-anchor="middle" x="${String(x)}" y="${String(y)}">${text}</text>`
}
