import type { Document } from '../../stores/records/records.ts'
import words from './words.json' with { type: 'json' }

const { cities, places, qualities, remarks, firstNames, lastNames } = words

export const seedPassword = 'glass and brass'

export function toLocation(number: number): Document {
  const next = createGenerator(number)
  const [, city = '', latitude, longitude] = /^(.*) (\S+) (\S+)$/.exec(choose(cities, next)) ?? []
  const north = (next(601) - 300) / 100
  const east = (next(601) - 300) / 100
  const kmPerDegree = 111.32
  const squeeze = Math.cos((Number(latitude) * Math.PI) / 180)
  const round = (degrees: number) => Math.round(degrees * 100_000) / 100_000
  const distance = Math.hypot(north, east).toFixed(1)
  return {
    name: `${choose(qualities, next)} ${choose(places, next)}, ${city}`,
    latitude: round(Number(latitude) + north / kmPerDegree),
    longitude: round(Number(longitude) + east / (kmPerDegree * squeeze)),
    note: `${distance} km from the centre of ${city}. ${choose(remarks, next)}`,
  }
}

export function toUser(number: number): Document {
  const next = createGenerator(number + 0x5eed)
  return { name: `${choose(firstNames, next)} ${choose(lastNames, next)}`, password: seedPassword }
}

function choose(texts: readonly string[], next: (count: number) => number): string {
  return texts[next(texts.length)] ?? ''
}

/** Pseudorandom numbers below `count`: a Weyl sequence with the finalizer of MurmurHash3. */
function createGenerator(seed: number): (count: number) => number {
  let state = seed
  return (count) => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % count
  }
}
