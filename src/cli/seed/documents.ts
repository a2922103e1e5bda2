import type { Document } from '../../stores/records/records.ts'

export const seedPassword = 'glass and brass'

const cities = (
  'Accra 5.5571 -0.2014, Amsterdam 52.3728 4.8936, Athens 37.9838 23.7275, ' +
  'Auckland -36.8509 174.7645, Bangkok 13.7525 100.4935, Bogotá 4.6534 -74.0836, ' +
  'Buenos Aires -34.6037 -58.3816, Cairo 30.0444 31.2357, Cape Town -33.9288 18.4172, ' +
  'Chicago 41.8756 -87.6244, Delhi 28.6517 77.2219, Dublin 53.3494 -6.2606, ' +
  'Helsinki 60.1675 24.9428, Istanbul 41.0064 28.9759, Jakarta -6.1754 106.8272, ' +
  'Kraków 50.0619 19.9369, Lagos 6.4551 3.3942, Lima -12.0621 -77.0365, ' +
  'Melbourne -37.8142 144.9632, Mexico City 19.4326 -99.1332, Montreal 45.5032 -73.5698, ' +
  'Mumbai 19.0785 72.8785, Nairobi -1.2833 36.8172, Paris 48.8589 2.32, Porto 41.1494 -8.6108, ' +
  'Reykjavík 64.146 -21.9422, Seoul 37.5667 126.9783, Tbilisi 41.6935 44.8014, ' +
  'Tunis 36.8002 10.1858, Vancouver 49.2608 -123.114, Zürich 47.3744 8.541'
).split(', ')

const places = (
  'Bakery, Bookshop, Café, Clock Tower, Concert Hall, Ferry Landing, Fish Market, Fountain, ' +
  'Library, Lookout, Observatory, Park Bench, Pier, Post Office, Tea House, Theatre, Tram Stop'
).split(', ')

const qualities = 'Blue Corner Grand Hidden Little New Northern Old Quiet Red Upper'.split(' ')

const remarks = [
  'Open late on Thursdays.',
  'Best early in the morning.',
  'Ask for the key next door.',
  'A good view on clear days.',
  'The last tram leaves at half past eleven.',
]

const firstNames = (
  'Aiko Amara Aoife Beatriz Björn Chloé Daniel Dilnoza Elif Emeka Eszter Fatima Giorgos Hana ' +
  'Ishaan Jamal João Kwame Leilani Linh Lucía Mateo Mira Noor Olga Rosa Sami Thabo Yara Zoë'
).split(' ')

const lastNames = (
  'Abebe Adeyemi Almeida Andersson Bauer Chen Dubois Fernández García Gupta Haddad Horváth Ito ' +
  'Jansen Kamau Kim Kowalski Larsen Mbeki Moreau Murphy Nguyen Novák Okafor Patel Quispe Rossi ' +
  'Sato Silva Virtanen Yılmaz'
).split(' ')

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
