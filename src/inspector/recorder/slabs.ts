export interface SlabEntry {
  numbers: readonly number[]
  text: string
  bodies: readonly (Buffer | string)[]
}

/** An entry as it was added. It is valid until the next entry is added. */
export interface StoredEntry {
  numbers: Float64Array
  text: string
  bodies: readonly Buffer[]
}

interface Slab {
  bytes: Buffer
  numbers: Float64Array
  used: number
  live: number
}

const slabBytes = 1024 ** 2
const wordBytes = 8
/** UTF-8 takes at most three bytes for each UTF-16 code unit. */
const maxBytesPerUnit = 3

/**
 * The latest entries, within a number and a size; the oldest are dropped. They are bytes outside of the
 * heap: the garbage collector would move and trace objects, which takes more time than to write these.
 */
export function createSlabs(maxEntries: number, maxBytes: number) {
  const maxSlabs = Math.max(Math.floor(maxBytes / slabBytes), 2)
  const slabs: Slab[] = []
  let current = -1
  const places = new Float64Array(maxEntries).fill(-1)
  let [first, next, removed] = [0, 0, 0]

  const drop = (number: number): void => {
    const place = places[number % maxEntries] ?? -1
    const slab = slabs[Math.floor(place / slabBytes)]
    if (slab) slab.live -= 1
    places[number % maxEntries] = -1
  }
  const dropFirst = () => {
    if (places[first % maxEntries] !== -1) removed += 1
    drop(first)
    first += 1
  }
  const openSlab = (): Slab => {
    const isFree = ({ live }: Slab, index: number) => live === 0 && index !== current
    if (!slabs.some(isFree) && slabs.length < maxSlabs) slabs.push(createSlab())
    while (!slabs.some(isFree)) dropFirst()
    current = slabs.findIndex(isFree)
    const slab = slabs[current] ?? createSlab()
    slab.used = 0
    return slab
  }
  const write = ({ bytes, numbers: words, used }: Slab, entry: SlabEntry): number => {
    const { numbers, text, bodies } = entry
    let word = used / wordBytes
    words[word++] = numbers.length
    words[word++] = bodies.length
    const lengths = word
    word += 1 + bodies.length
    for (const number of numbers) words[word++] = number
    let end = word * wordBytes
    end += words[lengths] = bytes.write(text, end)
    let length = lengths + 1
    for (const body of bodies)
      end += words[length++] = body.length === 0 ? 0 : writeBody(bytes, body, end)
    return Math.ceil(end / wordBytes) * wordBytes
  }
  const read = (number: number): StoredEntry | undefined => {
    const place = places[number % maxEntries] ?? -1
    const slab = slabs[Math.floor(place / slabBytes)]
    return slab && readEntry(slab, place % slabBytes)
  }
  return {
    add: (entry: SlabEntry): void => {
      if (next - first === maxEntries) dropFirst()
      const most = toMaxBytes(entry)
      if (most > slabBytes) return
      let slab = slabs[current]
      if (slab === undefined || slab.used + most > slabBytes) slab = openSlab()
      places[next % maxEntries] = current * slabBytes + slab.used
      slab.used = write(slab, entry)
      slab.live += 1
      next += 1
    },
    drop,
    read,
    /** Reads one of its numbers, which takes less time than to read all. */
    readNumber: (number: number, index: number): number => {
      const place = places[number % maxEntries] ?? -1
      const words = slabs[Math.floor(place / slabBytes)]?.numbers ?? []
      const word = (place % slabBytes) / wordBytes
      return words[word + 3 + (words[word + 1] ?? 0) + index] ?? NaN
    },
    *list(): Generator<number> {
      for (let number = next - 1; number >= first; number -= 1) {
        if (places[number % maxEntries] !== -1) yield number
      }
    },
    next: () => next,
    removed: () => removed,
  }
}

function writeBody(bytes: Buffer, body: Buffer | string, at: number): number {
  return typeof body === 'string' ? bytes.write(body, at) : body.copy(bytes, at)
}

function createSlab(): Slab {
  const bytes = Buffer.allocUnsafeSlow(slabBytes)
  return { bytes, numbers: new Float64Array(bytes.buffer), used: 0, live: 0 }
}

function toMaxBytes({ numbers, text, bodies }: SlabEntry): number {
  const words = 4 + numbers.length + bodies.length
  let bytes = words * wordBytes + maxBytesPerUnit * text.length
  for (const body of bodies) bytes += maxBytesPerUnit * body.length
  return bytes
}

function readEntry({ bytes, numbers: words }: Slab, offset: number): StoredEntry {
  let word = offset / wordBytes
  const [countNumbers = 0, countBodies = 0, textBytes = 0] = words.subarray(word)
  const lengths = words.subarray(word + 3, word + 3 + countBodies)
  word += 3 + countBodies
  const numbers = words.subarray(word, word + countNumbers)
  let end = (word + countNumbers) * wordBytes
  const take = (length: number) => bytes.subarray(end, (end += length))
  const text = take(textBytes).toString()
  return { numbers, text, bodies: Array.from(lengths, take) }
}
