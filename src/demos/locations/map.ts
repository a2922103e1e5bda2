import type { Figure, RecordLink } from '../../resources/definition.ts'
import { html, type Html } from '../../site/html.ts'

/** The units of `world.svg`, which shows the whole world with the same scale both ways. */
const unitsPerDegree = 5
const [width, height] = [360 * unitsPerDegree, 180 * unitsPerDegree]
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

export function createMap(): Figure {
  const cells = new Map<number, Mark>()
  return {
    add: ({ document: { latitude, longitude } }, link) => {
      if (!isWithin(latitude, 90) || !isWithin(longitude, 180)) return
      addMark(cells, { ...link, count: 1, x: longitude + 180, y: 90 - latitude }, degreesPerCell)
    },
    toHtml: () => (cells.size === 0 ? html`` : renderFigure([...cells.values()])),
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

function renderFigure(found: readonly Mark[]): Html {
  let [marks, size] = [found, degreesPerCell]
  while (marks.length > maxMarks) {
    size *= 1.5
    const cells = new Map<number, Mark>()
    for (const mark of marks) addMark(cells, mark, size)
    marks = [...cells.values()]
  }
  const count = marks.reduce((sum, mark) => sum + mark.count, 0)
  const points = marks.map((mark) => ({ ...mark, x: mark.x / mark.count, y: mark.y / mark.count }))
  const [only] = count === 1 ? points : []
  return html`<figure class="map">
<svg viewBox="${toViewBox(points)}" aria-hidden="true">
<image href="/assets/world.svg" width="${width}" height="${height}"/>
${only ? renderCrosshair(only) : ''}${points.map((point) => renderCircle(point, size, point === only))}</svg>
<figcaption>${only ? `${toLatitude(only.y)}, ${toLongitude(only.x)}` : toExtent(points, count)}. Land: Natural Earth.</figcaption>
</figure>
`
}

/** North and south of these there is little but ice, which is shown when something is there. */
const [usualTop, usualBottom] = [(90 - 84) * unitsPerDegree, (90 + 58) * unitsPerDegree]

function toViewBox(points: readonly Mark[]): string {
  const ys = points.map(({ y }) => y * unitsPerDegree)
  const top = Math.min(...ys) < usualTop + margin ? -margin : usualTop
  const bottom = Math.max(...ys) > usualBottom - margin ? height + margin : usualBottom
  return [-margin, top, width + 2 * margin, bottom - top].join(' ')
}

/** The link is for the mouse: a keyboard or a screen reader finds the same one beside the map. */
function renderCircle({ count, x, y, label, href }: Mark, size: number, isAlone: boolean): Html {
  const widest = Math.min(Math.max(10, (size * unitsPerDegree) / 1.8), margin)
  const radius = Math.min(10 + 3 * Math.log2(count), widest).toFixed(1)
  const title = count === 1 ? label : `${String(count)} places`
  const drawn = html`<circle cx="${toUnits(x)}" cy="${toUnits(y)}" r="${radius}"><title>${title}</title></circle>`
  return count > 1 || isAlone ? drawn : html`<a href="${href}" tabindex="-1">${drawn}</a>`
}

function renderCrosshair({ x, y }: Mark): Html {
  return html`<path d="M0 ${toUnits(y)}H${width}M${toUnits(x)} 0V${height}"/>
`
}

function toUnits(degrees: number): string {
  return (degrees * unitsPerDegree).toFixed(1)
}

function toExtent(points: readonly Mark[], count: number): string {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const drawn = points.length === count ? '' : `, drawn as ${String(points.length)} marks`
  return `${String(count)} places with coordinates${drawn}, from ${toLatitude(Math.min(...ys))} to ${toLatitude(Math.max(...ys))} and from ${toLongitude(Math.min(...xs))} to ${toLongitude(Math.max(...xs))}`
}

const toLatitude = (y: number) => toDegrees(90 - y, 'N', 'S')
const toLongitude = (x: number) => toDegrees(x - 180, 'E', 'W')

function toDegrees(degrees: number, positive: string, negative: string): string {
  return `${String(Number(Math.abs(degrees).toFixed(2)))}° ${degrees < 0 ? negative : positive}`
}
