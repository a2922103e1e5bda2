import { html, type Html } from '../../site/html.ts'
import type { Figure, RecordLink } from '../../resources/definition.ts'

/** The units of `world.svg`, which shows the whole world with the same scale both ways. */
const unitsPerDegree = 5
const [width, height] = [360 * unitsPerDegree, 180 * unitsPerDegree]
/** Around the world, so that a mark at its edge is seen whole. */
const margin = 30

/** Places closer than this are one mark, so that many records take no more memory than few. */
const degreesPerCell = 3
/** With more of them the cells are widened until a map can be read. */
const maxMarks = 400

interface Mark extends RecordLink {
  count: number
  /** Sums, in degrees from the north-west corner, for the middle of all. */
  x: number
  y: number
}

/** A map of the world with the records that have coordinates. */
export function createMap(): Figure {
  const cells = new Map<number, Mark>()
  let count = 0
  return {
    add: ({ document: { latitude, longitude } }, { label, href }) => {
      if (!isWithin(latitude, 90) || !isWithin(longitude, 180)) return
      count += 1
      const mark = { count: 1, x: longitude + 180, y: 90 - latitude, label, href }
      addMark(cells, mark, degreesPerCell)
    },
    toHtml: () => (count === 0 ? html`` : figure(cluster([...cells.values()]), count)),
  }
}

function isWithin(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit
}

function addMark(cells: Map<number, Mark>, added: Mark, size: number): void {
  const column = Math.floor(added.x / added.count / size)
  const key = Math.floor(added.y / added.count / size) * 1000 + column
  const mark = cells.get(key)
  if (mark === undefined) cells.set(key, added)
  else {
    mark.count += added.count
    mark.x += added.x
    mark.y += added.y
  }
}

interface Clusters {
  marks: readonly Mark[]
  /** Of a cell, in degrees. */
  size: number
}

/** Joins marks in ever wider cells until there are few enough to read. */
function cluster(marks: readonly Mark[], size = degreesPerCell): Clusters {
  if (marks.length <= maxMarks) return { marks, size }
  const cells = new Map<number, Mark>()
  for (const mark of marks) addMark(cells, mark, size * 1.5)
  return cluster([...cells.values()], size * 1.5)
}

function figure({ marks, size }: Clusters, count: number): Html {
  const places = count === 1 ? '1 place' : `${String(count)} places`
  const drawn = marks.length === count ? '' : `, drawn as ${String(marks.length)} marks`
  const [only] = count === 1 ? marks : []
  return html`<figure class="map">
<svg viewBox="${toViewBox(marks)}" aria-hidden="true">
<image href="/assets/world.svg" width="${width}" height="${height}"/>
${only ? html`${crosshair(only)}${circle(only, size)}` : marks.map((mark) => link(mark, circle(mark, size)))}</svg>
<figcaption>${only ? toPosition(only) : html`${places} with coordinates${drawn}, ${toExtent(marks)}`}. Land: Natural Earth.</figcaption>
</figure>
`
}

/** North and south of these there is little but ice, which is shown when something is there. */
const [usualNorth, usualSouth] = [84, -58]

function toViewBox(marks: readonly Mark[]): string {
  const latitudes = marks.map(({ y, count }) => 90 - y / count)
  const isArctic = Math.max(...latitudes) > usualNorth - margin / unitsPerDegree
  const isAntarctic = Math.min(...latitudes) < usualSouth + margin / unitsPerDegree
  const top = isArctic ? -margin : (90 - usualNorth) * unitsPerDegree
  const bottom = isAntarctic ? height + margin : (90 - usualSouth) * unitsPerDegree
  return [-margin, top, width + 2 * margin, bottom - top].join(' ')
}

function circle({ count, x, y, label }: Mark, size: number): Html {
  const at = (sum: number) => ((sum / count) * unitsPerDegree).toFixed(1)
  // A mark of many is wider, and no wider than its cell leaves room for.
  const widest = Math.min(Math.max(10, (size * unitsPerDegree) / 1.8), margin)
  const radius = Math.min(10 + 3 * Math.log2(count), widest).toFixed(1)
  const title = count === 1 ? label : `${String(count)} places`
  return html`<circle cx="${at(x)}" cy="${at(y)}" r="${radius}"><title>${title}</title></circle>`
}

/** For the mouse: who has a keyboard or a screen reader finds the same links beside the map. */
function link({ count, href }: Mark, drawn: Html): Html {
  return count === 1 ? html`<a href="${href}" tabindex="-1">${drawn}</a>` : drawn
}

/** Leads the eye to the one place there is. */
function crosshair({ x, y }: Mark): Html {
  const [cx, cy] = [x, y].map((degrees) => (degrees * unitsPerDegree).toFixed(1))
  return html`<path d="M0 ${cy ?? ''}H${width}M${cx ?? ''} 0V${height}"/>
`
}

function toPosition({ x, y }: Mark): string {
  return `${toLatitude(90 - y)}, ${toLongitude(x - 180)}`
}

/** Between which parallels and meridians the marks are. */
function toExtent(marks: readonly Mark[]): string {
  const [xs, ys] = [marks.map(({ x, count }) => x / count), marks.map(({ y, count }) => y / count)]
  const [north, south] = [toLatitude(90 - Math.min(...ys)), toLatitude(90 - Math.max(...ys))]
  const [west, east] = [toLongitude(Math.min(...xs) - 180), toLongitude(Math.max(...xs) - 180)]
  return `from ${north} to ${south} and from ${west} to ${east}`
}

function toLatitude(degrees: number): string {
  return toDegrees(degrees, degrees < 0 ? 'S' : 'N')
}

function toLongitude(degrees: number): string {
  return toDegrees(degrees, degrees < 0 ? 'W' : 'E')
}

/** To the kilometre or so, which is finer than the map. */
function toDegrees(degrees: number, side: string): string {
  return `${String(Number(Math.abs(degrees).toFixed(2)))}° ${side}`
}
