import { html, type Html } from '../http/html.ts'
import type { StoredRecord } from '../storage/records/records.ts'

/** The units of `world.svg`, which shows the whole world with the same scale both ways. */
const unitsPerDegree = 5
const [width, height] = [360 * unitsPerDegree, 180 * unitsPerDegree]

/** Places closer than this are one mark: so many records take no more room than few. */
const degreesPerCell = 3
const cellsPerRow = 360 / degreesPerCell

interface Mark {
  count: number
  /** Sums, for the middle of all. */
  x: number
  y: number
  /** What the mark leads to when it stands for one. */
  label: string
}

/** Gathers places and draws them on a map of the world. */
export interface WorldMap {
  /** Records without coordinates are passed over. */
  add: (record: StoredRecord, label: string) => void
  /** A figure; nothing where no place has been added. */
  toHtml: () => Html
}

export function createMap(): WorldMap {
  const marks = new Map<number, Mark>()
  let count = 0
  return {
    add: ({ document: { latitude, longitude } }, label) => {
      if (typeof latitude !== 'number' || typeof longitude !== 'number') return
      count += 1
      addMark(marks, { latitude, longitude, label })
    },
    toHtml: () => (count === 0 ? html`` : figure([...marks.values()], count)),
  }
}

function addMark(
  marks: Map<number, Mark>,
  { latitude, longitude, label }: { latitude: number; longitude: number; label: string },
): void {
  const [x, y] = [longitude + 180, 90 - latitude]
  const cell = Math.floor(y / degreesPerCell) * cellsPerRow + Math.floor(x / degreesPerCell)
  const mark = marks.get(cell)
  if (mark === undefined) marks.set(cell, { count: 1, x, y, label })
  else {
    mark.count += 1
    mark.x += x
    mark.y += y
  }
}

function figure(marks: readonly Mark[], count: number): Html {
  const places = count === 1 ? '1 place' : `${String(count)} places`
  const drawn = marks.length === count ? '' : `, drawn as ${String(marks.length)} marks`
  return html`<figure class="map">
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="A map of the world with ${places}">
<image href="/assets/world.svg" width="${width}" height="${height}"/>
${marks.map(circle)}</svg>
<figcaption>${places} with coordinates${drawn}. Land: Natural Earth.</figcaption>
</figure>
`
}

function circle({ count, x, y, label }: Mark): Html {
  const at = (sum: number) => ((sum / count) * unitsPerDegree).toFixed(1)
  const radius = Math.min(9 + 3.5 * Math.log2(count), 40).toFixed(1)
  const title = count === 1 ? label : `${String(count)} places`
  return html`<circle cx="${at(x)}" cy="${at(y)}" r="${radius}"><title>${title}</title></circle>
`
}
