// Draws src/site/assets/world.svg: the land of the world-atlas package (Natural Earth, in the public
// domain) as one path, in fifths of a degree. Run it when that package has a new version.
import { geoEquirectangular, geoPath } from 'd3-geo'
import { writeFileSync } from 'node:fs'
import { feature } from 'topojson-client'
import atlas from 'world-atlas/land-110m.json' with { type: 'json' }

const unitsPerDegree = 5
const projection = geoEquirectangular()
  .scale((180 / Math.PI) * unitsPerDegree)
  .translate([180 * unitsPerDegree, 90 * unitsPerDegree])
  .precision(0)
const path = geoPath(projection).digits(0)(feature(atlas, atlas.objects.land))

/** `M1,2L3,4L3,5Z` as `M1 2l2 2 0 1z`. */
function toRelative(ring) {
  const points = ring.split('L').map((pair) => pair.split(',').map(Number))
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
