export const samplePassword = 'glass and brass'

export function choose(texts: readonly string[], next: (count: number) => number): string {
  return texts[next(texts.length)] ?? ''
}

/** Pseudorandom numbers below `count`: a Weyl sequence with the finalizer of MurmurHash3. */
export function createGenerator(seed: number): (count: number) => number {
  let state = seed
  return (count) => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % count
  }
}
