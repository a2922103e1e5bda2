import { choose, createGenerator } from '../../resources/samples.ts'
import words from './sample-words.json' with { type: 'json' }

const { cities, places, qualities, remarks } = words

export function createLocation(number: number) {
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
