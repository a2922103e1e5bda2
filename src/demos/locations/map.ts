import { formatNumber } from '../../config/format-count.ts'
import type { Figure, RecordLink } from '../../resources/definition.ts'
import { html, type Html } from '../../site/html.ts'

/** The part of the world that is drawn, in degrees. South of it there is little but ice. */
const view = { west: -186, north: 84, width: 372, height: 142 }
const viewWithPoles = { ...view, north: 96, height: 192 }

/** Places closer than this are one mark, so that many records take no more memory than few. */
const degreesPerCell = 10
/** With more of them the cells are widened until a map can be read. */
const maxMarks = 150

interface Mark {
  count: number
  /** Only a mark of a single record has a link. */
  link: RecordLink | undefined
  latitudeSum: number
  longitudeSum: number
  south: number
  north: number
  west: number
  east: number
}

type Cells = Map<number, Mark>
type ToFiltered = Parameters<Figure['toHtml']>[0]

export function createMap(): Figure {
  const cells: Cells = new Map()
  return {
    add: ({ document: { latitude, longitude } }, link) => {
      if (!isWithin(latitude, 90) || !isWithin(longitude, 180)) return
      const sums = { latitudeSum: latitude, longitudeSum: longitude }
      const bounds = { south: latitude, north: latitude, west: longitude, east: longitude }
      addMark(cells, { count: 1, link, ...sums, ...bounds }, degreesPerCell)
    },
    toHtml: (toFiltered) => {
      const [all] = mergeMarks(cells, Infinity).values()
      return all ? renderFigure(all, widenCells(cells), toFiltered) : html``
    },
  }
}

function isWithin(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit
}

function addMark(cells: Cells, added: Mark, size: number): void {
  const key = Math.floor(added.south / size) * 1000 + Math.floor(added.west / size)
  const mark = cells.get(key)
  if (mark === undefined) cells.set(key, { ...added })
  else {
    mark.count += added.count
    mark.latitudeSum += added.latitudeSum
    mark.longitudeSum += added.longitudeSum
    mark.south = Math.min(mark.south, added.south)
    mark.north = Math.max(mark.north, added.north)
    mark.west = Math.min(mark.west, added.west)
    mark.east = Math.max(mark.east, added.east)
  }
}

/** A wider cell is four whole cells, so that the bounds of two marks never overlap. */
function widenCells(cells: Cells): readonly Mark[] {
  let found = cells
  for (let size = 2 * degreesPerCell; found.size > maxMarks; size *= 2) {
    found = mergeMarks(found, size)
  }
  return [...found.values()]
}

function mergeMarks(cells: Cells, size: number): Cells {
  const merged: Cells = new Map()
  for (const mark of cells.values()) addMark(merged, mark, size)
  return merged
}

function renderFigure(all: Mark, marks: readonly Mark[], toFiltered: ToFiltered): Html {
  const hasPoles = all.north > view.north - 6 || all.south < view.north - view.height + 6
  const shown = hasPoles ? viewWithPoles : view
  const toX = (longitude: number) => toPercent((longitude - shown.west) / shown.width)
  const toY = (latitude: number) => toPercent((shown.north - latitude) / shown.height)
  const land = html`<svg><image href="/assets/world.svg" x="${toX(-180)}" y="${toY(90)}" width="${toPercent(360 / shown.width)}" height="${toPercent(180 / shown.height)}" preserveAspectRatio="none"/></svg>`
  const points = marks.map((mark) => {
    const [x, y] = [toX(mark.longitudeSum / mark.count), toY(mark.latitudeSum / mark.count)]
    const lines = html`<line x2="100%" y1="${y}" y2="${y}"/><line y2="100%" x1="${x}" x2="${x}"/>`
    const drawn = html`<svg x="${x}" y="${y}" overflow="visible">${renderCircle(mark)}</svg>`
    return html`${all.count === 1 ? lines : ''}${renderLink(mark, drawn, toFiltered)}\n`
  })
  return html`<figure class="map">
<svg${hasPoles ? html` class="poles"` : ''} role="group" aria-label="Map">
${land}
${points}</svg>
<figcaption>${toCaption(all)} Land: Natural Earth.</figcaption>
</figure>
`
}

const toPercent = (part: number): string => `${(part * 100).toFixed(2)}%`

/** The radius is in pixels: a circle has the same size on every screen, and is large enough for a finger. */
function renderCircle({ count }: Mark): Html {
  if (count === 1) return html`<circle class="target" r="12"/><circle r="5"/>`
  const radius = Math.min(10 + 1.5 * Math.log2(count), 22).toFixed(1)
  const number = formatNumber(count, { notation: 'compact' })
  return html`<circle class="target" r="${radius}"/><circle r="${radius}"/><text dy="0.35em">${number}</text>`
}

function renderLink(mark: Mark, drawn: Html, toFiltered: ToFiltered): Html {
  const { count, link, south, north, west, east } = mark
  const href =
    count === 1
      ? link?.href
      : toFiltered?.({
          'latitude:gte': String(south),
          'latitude:lte': String(north),
          'longitude:gte': String(west),
          'longitude:lte': String(east),
        })
  const middle = `${toLatitude((south + north) / 2)}, ${toLongitude((west + east) / 2)}`
  const title = count === 1 ? link?.label : `${String(count)} places around ${middle}`
  if (href === undefined) return drawn
  return html`<a href="${href}"><title>${title ?? ''}</title>${drawn}</a>`
}

function toCaption({ count, south, north, west, east }: Mark): string {
  if (count === 1) return `${toLatitude(north)}, ${toLongitude(west)}.`
  const places = `${formatNumber(count)} places with coordinates`
  return `${places}, from ${toLatitude(north)} to ${toLatitude(south)} and from ${toLongitude(west)} to ${toLongitude(east)}.`
}

const toLatitude = (latitude: number) => toDegrees(latitude, 'N', 'S')
const toLongitude = (longitude: number) => toDegrees(longitude, 'E', 'W')

function toDegrees(degrees: number, positive: string, negative: string): string {
  return `${String(Number(Math.abs(degrees).toFixed(2)))}° ${degrees < 0 ? negative : positive}`
}
