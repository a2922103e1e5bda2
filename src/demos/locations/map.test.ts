import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMap } from './map.ts'

type Place = [latitude: unknown, longitude: unknown, label?: string]

function draw(places: readonly Place[]): string {
  const map = createMap()
  places.forEach(([latitude, longitude, label = 'Pier'], index) => {
    const times = { createdAt: '', updatedAt: '' }
    const record = { id: String(index), document: { latitude, longitude }, version: 1, ...times }
    map.add(record, { label, href: `/locations/${String(index)}` })
  })
  return map.toHtml((filters) => `/list?${new URLSearchParams(filters).toString()}`).markup
}

/** In hundredths of the map. */
function marksOf(markup: string) {
  const marks = markup.matchAll(/<svg x="([\d.-]+)%" y="([\d.-]+)%"/g)
  return [...marks].map(([, x, y]) => ({ x: Number(x), y: Number(y) }))
}

function areWithin(markup: string): boolean {
  return marksOf(markup).every(({ x, y }) => x >= 0 && x <= 100 && y >= 0 && y <= 100)
}

/** Spread over the whole world, and the same every time. */
function spread(count: number): Place[] {
  return Array.from({ length: count }, (_, index) => [
    90 - ((index * 0.618034) % 1) * 180,
    (index / count) * 360 - 180,
  ])
}

const positions: [latitude: number, longitude: number, x: number, y: number, words: string][] = [
  [0, 0, 50, 59.15, '0° N, 0° E'],
  [53.5511, 9.9937, 52.69, 21.44, '53.55° N, 9.99° E'],
  [-54.8, -68.3, 31.64, 78.54, '54.8° S, 68.3° W'],
  [90, 180, 98.39, 3.13, '90° N, 180° E'],
  [-90, -180, 1.61, 96.88, '90° S, 180° W'],
  [89.9, -179.9, 1.64, 3.18, '89.9° N, 179.9° W'],
]

for (const [latitude, longitude, x, y, words] of positions) {
  test(`a place at ${words} is drawn there, with its coordinates as text`, () => {
    const markup = draw([[latitude, longitude]])
    const [mark] = marksOf(markup)
    assert.ok(mark)
    assert.ok(Math.abs(mark.x - x) < 0.02 && Math.abs(mark.y - y) < 0.02, JSON.stringify(mark))
    assert.ok(areWithin(markup))
    assert.ok(markup.includes(`<figcaption>${words}.`))
  })
}

test('places at the poles and along the date line are drawn inside the map', () => {
  const edges: Place[] = [-90, -75, -58, -50, 0, 75, 84, 90].flatMap((latitude) => [
    [latitude, -180],
    [latitude, 180],
  ])
  const markup = draw(edges)
  assert.equal(marksOf(markup).length, edges.length)
  assert.ok(areWithin(markup))
})

test('without a place there is no map', () => {
  assert.equal(draw([]), '')
  assert.equal(
    draw([
      [undefined, undefined],
      ['1', '2'],
      [91, 0],
      [0, NaN],
      [1, undefined],
    ]),
    '',
  )
})

test('half a million places are drawn as a small number of marks', () => {
  const places = spread(500_000)
  const start = performance.now()
  const markup = draw(places)
  // Compared with each other, so many would take many minutes.
  assert.ok(performance.now() - start < 60_000)
  const marks = marksOf(markup)
  assert.ok(marks.length > 50 && marks.length <= 150, String(marks.length))
  assert.ok(areWithin(markup))
  assert.match(markup, /500,000 places with coordinates/)
})

test('places close together are one mark with their number', () => {
  const markup = draw([
    [10, 10],
    [10.5, 10.5],
    [40, 40, 'Alone'],
  ])
  assert.equal(marksOf(markup).length, 2)
  assert.match(
    markup,
    /<a href="\/list\?latitude%3Agte=10&amp;[^"]*"><title>2 places around 10\.25° N/,
  )
  assert.match(markup, /<a href="\/locations\/2"><title>Alone</)
  assert.match(markup, /3 places with coordinates, from 40° N to 10° N/)
})

test('a name is escaped in the map', () => {
  const markup = draw([
    [10, 10, '</title><script>alert(1)</script>'],
    [40, 40, '"\'&'],
  ])
  assert.doesNotMatch(markup, /<script/)
  assert.ok(markup.includes('&lt;/title&gt;&lt;script&gt;'))
  assert.ok(markup.includes('&quot;&#39;&amp;'))
})

test('every record is in the bounds of one mark, with the number of records in them', () => {
  const places = spread(5000)
  const links = [...draw(places).matchAll(/<a href="([^"]*)"><title>(\d+) places/g)]
  let total = 0
  for (const [, href = '', count] of links) {
    const filters = new URL(href.replaceAll('&amp;', '&'), 'http://localhost').searchParams
    const [south, north, west, east] = [...filters.values()].map(Number)
    assert.ok(south !== undefined && north !== undefined)
    assert.ok(west !== undefined && east !== undefined)
    const inside = places.filter(([latitude, longitude]) => {
      const [y, x] = [Number(latitude), Number(longitude)]
      return y >= south && y <= north && x >= west && x <= east
    })
    assert.equal(inside.length, Number(count))
    total += inside.length
  }
  assert.equal(total + (draw(places).match(/<title>Pier</g)?.length ?? 0), places.length)
})
