import type { Config } from '../config/config.ts'
import { formatCount } from '../config/format-count.ts'
import { findLoad } from '../data-file/load-data.ts'
import { fileCollections } from '../demos/catalogue.ts'
import { toFileCollections } from '../stores/archive/archive.ts'
import { toKind } from '../stores/collection-names.ts'
import { openStoredSandboxes, type StoredSandbox } from '../stores/sandboxes/stored-sandboxes.ts'
import { formatCounts } from './format.ts'
import { withRecords } from './with-records.ts'

export async function sandboxes(config: Config, action: string, name = ''): Promise<void> {
  await withRecords(config, async (records) => {
    const names = toFileCollections(fileCollections, await findLoad(records))
    const stored = openStoredSandboxes(records, config, names)
    if (action === 'show') print(await stored.show(name))
    else if (action === 'delete') {
      await stored.end(name)
      console.log(`Deleted the sandbox ${name}. A running service removes its data within minutes`)
    } else await printAll(stored.list())
  })
}

async function printAll(all: AsyncIterable<StoredSandbox>): Promise<void> {
  console.log(toRow(['NAME', 'CREATED', 'LAST USE', 'END', 'RECORDS', 'BYTES']))
  for await (const { name, createdAt, usedAt, endsAt, counts, bytes } of all)
    console.log(toRow([name, createdAt, usedAt, endsAt, countOwn(counts), bytes].map(String)))
}

const widths = [14, 26, 26, 26, 10]
const toRow = (cells: readonly string[]) =>
  cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('')

/** Sessions and idempotency keys are no records of a client. */
const countOwn = (counts: StoredSandbox['counts']) =>
  counts.reduce((sum, [collection, count]) => sum + (collection.startsWith('~') ? 0 : count), 0)

function print({ name, client, createdAt, usedAt, endsAt, counts, bytes }: StoredSandbox): void {
  const kinds = counts.map(([collection, count]) => [toKind(collection), count] as const)
  console.log(`Name:     ${name}`)
  console.log(`Created:  ${createdAt}${client ? ` by ${client}` : ''}`)
  console.log(`Last use: ${usedAt}`)
  console.log(`End:      ${endsAt}`)
  console.log(`Records:  ${formatCounts(kinds) || 'none'}`)
  console.log(`Size:     ${formatCount(bytes, 'byte')} with the uploads`)
}
