import type { Document } from '../../stores/records/records.ts'
import { cities } from './cities.ts'

export const seedPassword = 'glass and brass'

const places = [
  'Bakery',
  'Bookshop',
  'Botanical Garden',
  'Café',
  'Clock Tower',
  'Concert Hall',
  'Ferry Landing',
  'Fish Market',
  'Fountain',
  'Glass Museum',
  'Library',
  'Lookout',
  'Observatory',
  'Park Bench',
  'Pier',
  'Post Office',
  'Swimming Baths',
  'Tea House',
  'Theatre',
  'Tram Stop',
  'Workshop',
]

const qualities = [
  'Blue',
  'Corner',
  'Grand',
  'Hidden',
  'Little',
  'Lower',
  'New',
  'Northern',
  'Old',
  'Quiet',
  'Red',
  'Station',
  'Upper',
]

const remarks = [
  'Open late on Thursdays.',
  'Closed on Mondays.',
  'Best early in the morning.',
  'Ask for the key next door.',
  'Step-free from the side street.',
  'A good view on clear days.',
  'Bring something to read.',
  'Crowded at noon.',
  'The last tram leaves at half past eleven.',
]

const firstNames = (
  'Aiko Amara Ana Anders Aoife Asha Beatriz Björn Carlos Chiara Chloé Daniel Dilnoza Elif Emeka Emma ' +
  'Eszter Fatima Femi Giorgos Hana Hans Ingrid Ishaan Ivana Jamal João Kenji Kwame Laila Lars Leilani ' +
  'Liam Linh Lucía Malik Maren Mateo Mei Mira Noor Olga Omar Paulo Petra Priya Rafael Ravi Rosa Sami ' +
  'Sofía Tamar Thabo Tomasz Valentina Wanjiru Yara Yusuf Zanele Zoë'
).split(' ')

const lastNames = (
  'Abebe Adeyemi Ahmed Almeida Andersson Bauer Castro Chen Costa Dubois Eriksen Fernández Fischer ' +
  'García Gupta Haddad Hansen Hernández Horváth Ito Ivanova Jansen Jensen Kamau Kapoor Khan Kim ' +
  'Kovács Kowalski Larsen Lee Lindqvist Lopes Mbeki Mendoza Moreau Murphy Mutua Nakamura Nguyen ' +
  'Nielsen Novák Okafor Olsen Papadopoulos Patel Petrov Quispe Rahman Rossi Sato Schmidt Silva Singh ' +
  'Tanaka Torres Virtanen Wang Weber Yılmaz'
).split(' ')

/** Deterministic. */
export function toLocation(number: number): Document {
  const next = createChooser(number)
  const city = next(cities)
  // Up to three kilometres from the centre.
  const north = (next(steps) - 300) / 100
  const east = (next(steps) - 300) / 100
  const kmPerDegree = 111.32
  const squeeze = Math.cos((city.latitude * Math.PI) / 180)
  const round = (degrees: number) => Math.round(degrees * 100_000) / 100_000
  const distance = Math.hypot(north, east).toFixed(1)
  return {
    name: `${next(qualities)} ${next(places)}, ${city.name}`,
    latitude: round(city.latitude + north / kmPerDegree),
    longitude: round(city.longitude + east / (kmPerDegree * squeeze)),
    note: `${distance} km from the centre of ${city.name}. ${next(remarks)}`,
  }
}

/** Deterministic. */
export function toUser(number: number): Document {
  const next = createChooser(number + 0x5eed)
  return { name: `${next(firstNames)} ${next(lastNames)}`, password: seedPassword }
}

const steps = Array.from({ length: 601 }, (_, index) => index)

/** Pseudorandom choices from a seed: a Weyl sequence with the finalizer of MurmurHash3. */
function createChooser(number: number) {
  let state = number
  return <Value>(values: readonly Value[]): Value => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    const index = ((mixed ^ (mixed >>> 16)) >>> 0) % values.length
    return values[index] as Value
  }
}
