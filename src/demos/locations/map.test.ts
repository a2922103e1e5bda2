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
  return map.toHtml().markup
}

function marksOf(markup: string) {
  const circles = markup.matchAll(/<circle cx="([\d.-]+)" cy="([\d.-]+)" r="([\d.-]+)"/g)
  return [...circles].map(([, x, y, radius]) => ({ x: Number(x), y: Number(y), r: Number(radius) }))
}

/** Whether every mark is seen whole. */
function areWithin(markup: string): boolean {
  const [, box = ''] = /viewBox="([^"]*)"/.exec(markup) ?? []
  const [left = 0, top = 0, width = 0, height = 0] = box.split(' ').map(Number)
  return marksOf(markup).every(
    ({ x, y, r }) =>
      x - r >= left && x + r <= left + width && y - r >= top && y + r <= top + height,
  )
}

/** Spread over the whole world, and the same every time. */
function spread(count: number): Place[] {
  return Array.from({ length: count }, (_, index) => [
    90 - ((index * 0.618034) % 1) * 180,
    (index / count) * 360 - 180,
  ])
}

const positions: [latitude: number, longitude: number, x: number, y: number, words: string][] = [
  [0, 0, 900, 450, '0° N, 0° E'],
  [53.5511, 9.9937, 949.97, 182.24, '53.55° N, 9.99° E'],
  [-54.8, -68.3, 558.5, 724, '54.8° S, 68.3° W'],
  [90, 180, 1800, 0, '90° N, 180° E'],
  [-90, -180, 0, 900, '90° S, 180° W'],
  [89.9, -179.9, 0.5, 0.5, '89.9° N, 179.9° W'],
]

for (const [latitude, longitude, x, y, words] of positions) {
  test(`a place at ${words} is drawn there, with its coordinates as text`, () => {
    const markup = draw([[latitude, longitude]])
    const [mark] = marksOf(markup)
    assert.ok(mark)
    assert.ok(Math.abs(mark.x - x) < 0.06 && Math.abs(mark.y - y) < 0.06)
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
  assert.ok(marks.length > 100 && marks.length <= 400, String(marks.length))
  assert.ok(areWithin(markup))
  assert.match(markup, /500000 places with coordinates, drawn as \d+ marks/)
})

test('places close together are one mark with their number', () => {
  const markup = draw([
    [10, 10],
    [10.5, 10.5],
    [40, 40, 'Alone'],
  ])
  assert.equal(marksOf(markup).length, 2)
  assert.match(markup, /<title>2 places<\/title>/)
  assert.match(markup, /<a href="\/locations\/2"[^>]*><circle[^>]*><title>Alone</)
  assert.match(markup, /3 places with coordinates, drawn as 2 marks, from 40° N to 10\.25° N/)
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
