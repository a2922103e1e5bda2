import type { Document, RecordQuery, Records, StoredRecord } from './records.ts'

/** Varied documents: many alike, some without a field. */
export function toDocument(index: number): Document {
  return {
    name: `${index % 3 ? 'name' : 'Name'} ${String(index % 11)}`,
    ...(index % 7 && { size: (index % 10) - 1.5 + (index % 2 ? 0 : 0.5) }),
    ...(index % 13 && { any: anyValues[index % anyValues.length] }),
    ...(index % 3 && {
      in: { deep: index % 9 ? `${index % 2 ? 'D' : 'd'}eep ${String(index % 4)}` : index },
    }),
    ...(index % 6 && { list: lists[index % lists.length] }),
    ...(index % 5 && { note: ['éclair', 'Bär', 'Öl', '', '\u{1f600}', '\uffee'][index % 6] }),
  }
}

const lists = [
  ['a', 'B'],
  ['b', true],
  [1, 'true', null],
  'a',
  [['a']],
  [],
  { 0: 'a' },
  [1.5, false],
]

const anyValues = [
  0,
  1,
  -1,
  2.5,
  '',
  '1',
  '2',
  'true',
  'x',
  '\u{10ffff}',
  true,
  false,
  null,
  [],
  ['0'],
  [1, 2],
  {},
  { deep: 1 },
  '[]',
  '{}',
  16_229_310_075_141_504,
  -9_007_199_254_740_994,
  2 ** 60,
  2 ** 63,
  1e21,
]

export async function fill(
  records: Records,
  count: number,
  toOne = toDocument,
): Promise<StoredRecord[]> {
  const created = Array.from({ length: count }, (_, index) => toRecord(index, toOne(index)))
  await records.commit([{ collection: 'things', kind: 'create', records: created }])
  const all: StoredRecord[] = []
  for (let index = 0; index < count; index += 1) {
    const found = await records.collection('things').find(toId(index))
    if (found) all.push(found)
  }
  return all
}

export async function add(records: Records, index: number, document: Document): Promise<void> {
  await records.collection('things').create(toRecord(index, document))
}

function toRecord(index: number, document: Document) {
  return { id: toId(index), document, createdAt: toTime(Math.floor(index / 3)) }
}

export function toId(index: number): string {
  // Not in the order of their times.
  return `thing-${String((index * 7) % 10_007).padStart(5, '0')}`
}

export function toTime(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString()
}

export async function idsOf(records: Records, query: RecordQuery): Promise<string[]> {
  const found: string[] = []
  for await (const page of records.collection('things').pages(query))
    found.push(...page.map(({ id }) => id))
  return found
}
