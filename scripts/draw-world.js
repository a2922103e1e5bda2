// Draws src/site/assets/world.svg: the land of the world-atlas package (Natural Earth, in the public
// domain) as one path, in thirds of a degree and without points that are not seen in a map as wide as a window.
// Run it when that package has a new version.
import { geoEquirectangular, geoPath } from 'd3-geo'
import { writeFileSync } from 'node:fs'
import { feature } from 'topojson-client'
import atlas from 'world-atlas/land-110m.json' with { type: 'json' }

const unitsPerDegree = 3
const projection = geoEquirectangular()
  .scale((180 / Math.PI) * unitsPerDegree)
  .translate([180 * unitsPerDegree, 90 * unitsPerDegree])
  .precision(0)
const path = geoPath(projection).digits(0)(feature(atlas, atlas.objects.land))

/** The area of the triangle that a point makes with the points beside it, twice, in square units. */
const minArea = 3

function toArea([x1, y1], [x2, y2], [x3, y3]) {
  return Math.abs((x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1))
}

/** Removes the point with the smallest area, again and again: the algorithm of Visvalingam and Whyatt. */
function simplify(points) {
  const areas = points.slice(1, -1).map((point, at) => toArea(points[at], point, points[at + 2]))
  const smallest = Math.min(...areas)
  if (points.length < 4 || smallest >= minArea) return points
  return simplify(points.toSpliced(areas.indexOf(smallest) + 1, 1))
}

/** `M1,2L3,4L3,5Z` as `M1 2l2 2 0 1z`. */
function toRelative(ring) {
  const points = simplify(ring.split('L').map((pair) => pair.split(',').map(Number)))
  let [x, y] = points[0]
  const steps = points.slice(1).flatMap(([toX, toY]) => {
    const step = [toX - x, toY - y]
    ;[x, y] = [toX, toY]
    return step[0] === 0 && step[1] === 0 ? [] : [step.join(' ')]
  })
  return `M${points[0].join(' ')}l${steps.join(' ')}z`.replaceAll(' -', '-')
}

const rings = path.split('Z').filter((ring) => ring !== '')
const outline = rings.map((ring) => toRelative(ring.slice(1))).join('')
const size = `0 0 ${360 * unitsPerDegree} ${180 * unitsPerDegree}`
writeFileSync(
  new URL('../src/site/assets/world.svg', import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${size}"><path fill="#8fa19d" d="${outline}"/></svg>\n`,
)
