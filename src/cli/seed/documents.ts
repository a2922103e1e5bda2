import type { Document } from '../../stores/records/records.ts'

export const seedPassword = 'glass and brass'

/** With the latitude and longitude of their centres. */
const cities = (
  'Accra 5.5571 -0.2014, Addis Ababa 9.0192 38.7525, Algiers 36.7538 3.0588, ' +
  'Amsterdam 52.3728 4.8936, Athens 37.9838 23.7275, Auckland -36.8509 174.7645, ' +
  'Bangkok 13.7525 100.4935, Barcelona 41.3829 2.1774, Beijing 39.9057 116.3913, ' +
  'Berlin 52.5174 13.3951, Bogotá 4.6534 -74.0836, Brussels 50.8466 4.3517, ' +
  'Bucharest 44.4361 26.1027, Budapest 47.4979 19.0404, Buenos Aires -34.6037 -58.3816, ' +
  'Cairo 30.0444 31.2357, Cape Town -33.9288 18.4172, Chicago 41.8756 -87.6244, ' +
  'Copenhagen 55.6867 12.5701, Dakar 14.6934 -17.4479, Delhi 28.6517 77.2219, ' +
  'Dublin 53.3494 -6.2606, Edinburgh 55.9533 -3.1884, Halifax 44.6486 -63.5859, ' +
  'Hanoi 21.0283 105.854, Havana 23.1353 -82.359, Helsinki 60.1675 24.9428, ' +
  'Istanbul 41.0064 28.9759, Jakarta -6.1754 106.8272, Johannesburg -26.205 28.0497, ' +
  'Kraków 50.0619 19.9369, Kyoto 35.0116 135.7681, Lagos 6.4551 3.3942, Lima -12.0621 -77.0365, ' +
  'Lisbon 38.7078 -9.1366, London 51.5074 -0.1278, Madrid 40.4167 -3.7036, ' +
  'Marseille 43.2962 5.37, Melbourne -37.8142 144.9632, Mexico City 19.4326 -99.1332, ' +
  'Montreal 45.5032 -73.5698, Mumbai 19.0785 72.8785, Nairobi -1.2833 36.8172, ' +
  'New York 40.7127 -74.006, Oslo 59.9133 10.739, Paris 48.8589 2.32, Porto 41.1494 -8.6108, ' +
  'Prague 50.0875 14.4213, Quito -0.2202 -78.5123, Reykjavík 64.146 -21.9422, ' +
  'Rio de Janeiro -22.9111 -43.2056, Rome 41.8933 12.4829, San Francisco 37.7793 -122.4193, ' +
  'Santiago -33.4377 -70.6504, Seoul 37.5667 126.9783, Singapore 1.2899 103.8519, ' +
  'Stockholm 59.3251 18.0711, Sydney -33.8698 151.2083, Tallinn 59.4372 24.7454, ' +
  'Tbilisi 41.6935 44.8014, Tunis 36.8002 10.1858, Vancouver 49.2608 -123.114, ' +
  'Vienna 48.2084 16.3725, Zürich 47.3744 8.541'
).split(', ')

const places = (
  'Bakery, Bookshop, Botanical Garden, Café, Clock Tower, Concert Hall, Ferry Landing, ' +
  'Fish Market, Fountain, Glass Museum, Library, Lookout, Observatory, Park Bench, Pier, ' +
  'Post Office, Swimming Baths, Tea House, Theatre, Tram Stop, Workshop'
).split(', ')

const qualities =
  'Blue Corner Grand Hidden Little Lower New Northern Old Quiet Red Station Upper'.split(' ')

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
  'Aiko Amara Ana Anders Aoife Asha Beatriz Björn Carlos Chiara Chloé Daniel Dilnoza Elif Emeka ' +
  'Emma Eszter Fatima Femi Giorgos Hana Hans Ingrid Ishaan Ivana Jamal João Kenji Kwame Laila ' +
  'Lars Leilani Liam Linh Lucía Malik Maren Mateo Mei Mira Noor Olga Omar Paulo Petra Priya ' +
  'Rafael Ravi Rosa Sami Sofía Tamar Thabo Tomasz Valentina Wanjiru Yara Yusuf Zanele Zoë'
).split(' ')

const lastNames = (
  'Abebe Adeyemi Ahmed Almeida Andersson Bauer Castro Chen Costa Dubois Eriksen Fernández ' +
  'Fischer García Gupta Haddad Hansen Hernández Horváth Ito Ivanova Jansen Jensen Kamau Kapoor ' +
  'Khan Kim Kovács Kowalski Larsen Lee Lindqvist Lopes Mbeki Mendoza Moreau Murphy Mutua ' +
  'Nakamura Nguyen Nielsen Novák Okafor Olsen Papadopoulos Patel Petrov Quispe Rahman Rossi ' +
  'Sato Schmidt Silva Singh Tanaka Torres Virtanen Wang Weber Yılmaz'
).split(' ')

/** Deterministic. */
export function toLocation(number: number): Document {
  const next = createChooser(number)
  const choose = (texts: readonly string[]) => texts[next(texts.length)] ?? ''
  const [, city = '', latitude, longitude] = /^(.*) (\S+) (\S+)$/.exec(choose(cities)) ?? []
  // Up to three kilometres from the centre.
  const north = (next(601) - 300) / 100
  const east = (next(601) - 300) / 100
  const kmPerDegree = 111.32
  const squeeze = Math.cos((Number(latitude) * Math.PI) / 180)
  const round = (degrees: number) => Math.round(degrees * 100_000) / 100_000
  return {
    name: `${choose(qualities)} ${choose(places)}, ${city}`,
    latitude: round(Number(latitude) + north / kmPerDegree),
    longitude: round(Number(longitude) + east / (kmPerDegree * squeeze)),
    note: `${Math.hypot(north, east).toFixed(1)} km from the centre of ${city}. ${choose(remarks)}`,
  }
}

/** Deterministic. */
export function toUser(number: number): Document {
  const next = createChooser(number + 0x5eed)
  const choose = (texts: readonly string[]) => texts[next(texts.length)] ?? ''
  return { name: `${choose(firstNames)} ${choose(lastNames)}`, password: seedPassword }
}

/** Pseudorandom numbers below `count`: a Weyl sequence with the finalizer of MurmurHash3. */
function createChooser(seed: number): (count: number) => number {
  let state = seed
  return (count) => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % count
  }
}
