import type { Part, StoredRecord } from './records.ts'

interface Reading<Stretch> {
  count: (stretch: Stretch) => Promise<number>
  list: (stretch: Stretch, part: Part) => Promise<readonly StoredRecord[]>
}

/** A part of what is found stretch by stretch: those before it are counted, and not read. */
export async function takePart<Stretch>(
  stretches: AsyncIterable<Stretch>,
  { offset, limit }: Part,
  { count, list }: Reading<Stretch>,
): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = []
  let skipped = 0
  for await (const stretch of stretches) {
    if (skipped < offset) {
      const size = await count(stretch)
      if (skipped + size <= offset) {
        skipped += size
        continue
      }
    }
    const part = { offset: offset - skipped, limit: limit - found.length }
    found.push(...(await list(stretch, part)))
    skipped = offset
    if (found.length === limit) break
  }
  return found
}
