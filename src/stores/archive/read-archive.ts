import { createHash } from 'node:crypto'
import { constants } from 'node:buffer'
import { createReadStream, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { isObject } from '../../config/is-object.ts'
import { findJson } from '../../config/find-json.ts'
import { collectionNames, toKind } from '../collection-names.ts'
import { toReason } from '../store-failure.ts'
import {
  archiveStart,
  archiveVersion,
  createHasFile,
  isContentOf,
  parseRecord,
  toDamage,
  toSavedFile,
} from './archive.ts'
import type { ArchivedRecord, ArchiveOptions, ArchiveLine } from './archive.ts'
import { readOldBackup } from './old-backup.ts'

export interface ArchiveItem {
  record: ArchivedRecord
  content: AsyncIterable<Buffer>
  isLost: () => boolean
}

export interface Totals {
  counts: (readonly [kind: string, count: number])[]
  bytes: number
}

interface Checked extends Totals {
  lost: Set<string>
}

interface CheckOptions extends Pick<ArchiveOptions, 'fileCollections' | 'checkRecord'> {
  signal?: AbortSignal
  subject?: string
}

export async function checkArchive(file: string, options: CheckOptions): Promise<Checked> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new Error(`${file} does not exist, or is not a file`)
  try {
    return await checkItems(readArchive(file, options.signal), options)
  } catch (error) {
    const subject = options.subject ?? file
    throw new Error(`${subject} cannot be restored: ${toReason(error)}`, { cause: error })
  }
}

async function checkItems(
  items: AsyncIterable<ArchiveItem>,
  options: CheckOptions,
): Promise<Checked> {
  const counts = new Map<string, number>()
  const lost = new Set<string>()
  let bytes = 0
  const hasFile = createHasFile(options.fileCollections)
  for await (const { record, content, isLost } of items) {
    const { collection, id, document } = record
    const saved = hasFile(record) ? toSavedFile(record) : undefined
    const isWhole = saved === undefined || (await isContentOf(saved, content))
    if (saved && isLost()) {
      lost.add(id)
      continue
    }
    try {
      options.checkRecord(collection, id, document)
    } catch (error) {
      throw toDamage(record, error)
    }
    if (!isWhole) throw toDamage(record, 'the content of its file does not have its size and hash')
    bytes += saved?.size ?? 0
    counts.set(collection, (counts.get(collection) ?? 0) + 1)
  }
  counts.delete(collectionNames.dataFile)
  const sorted = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  return { counts: sorted.map(([name, count]) => [toKind(name), count]), bytes, lost }
}

/** The content of an item is read before the next item. */
export async function* readArchive(
  file: string,
  signal?: AbortSignal,
): AsyncGenerator<ArchiveItem> {
  const entries = await openEntries(file, signal)
  let entry = await readNext(entries)
  async function* readContent(): AsyncGenerator<Buffer> {
    while (entry?.piece !== undefined) {
      const piece = parsePiece(entry.piece)
      entry = await readNext(entries)
      yield piece
    }
  }
  while (entry) {
    const record = parseRecord(entry.record)
    entry = await readNext(entries)
    yield { record, content: readContent(), isLost: () => entry?.isLost === true }
    while (entry && entry.record === undefined) entry = await readNext(entries)
  }
}

async function readNext(
  entries: AsyncIterator<ArchiveLine, void>,
): Promise<ArchiveLine | undefined> {
  return (await entries.next()).value ?? undefined
}

function parsePiece(piece: unknown): Buffer {
  if (piece instanceof Uint8Array) return Buffer.from(piece)
  if (typeof piece === 'string') return Buffer.from(piece, 'base64')
  throw new Error('it is damaged: a piece of a file is not text')
}

async function openEntries(file: string, signal?: AbortSignal) {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(archiveStart.length) })
  const start = buffer.toString('latin1', 0, bytesRead)
  if (start === archiveStart) return readEntries(file, signal)
  if (start.startsWith('SQLite format 3\0')) return readOldBackup(file)
  throw new Error('it was not made by vitrine backup')
}

const lastLine = /^\{"sha256":"([0-9a-f]{64})"\}\n$/
const lineFeed = 10
const isMissing = 'it is damaged: its end is missing'

async function* readEntries(file: string, signal?: AbortSignal): AsyncGenerator<ArchiveLine, void> {
  const hash = createHash('sha256')
  let number = 0
  let expected: string | undefined
  for await (const line of readLines(file, signal)) {
    if (expected !== undefined) throw new Error('it is damaged: lines follow its hash')
    if (line.at(-1) !== lineFeed) throw new Error(isMissing)
    expected = line.length < 100 ? lastLine.exec(line.toString('latin1'))?.[1] : undefined
    if (expected !== undefined) continue
    hash.update(line)
    number += 1
    const entry = parseLine(line, number)
    if (number > 1) yield entry
    else if (entry.version !== archiveVersion)
      throw new Error(`it was made by a newer Vitrine (archive ${String(entry.version)})`)
  }
  if (expected === undefined) throw new Error(isMissing)
  if (hash.digest('hex') !== expected)
    throw new Error('it is damaged: its content does not match its hash')
}

function parseLine(line: Buffer, number: number) {
  const value = findJson(line.toString())
  if (isObject(value)) return value
  throw new Error(`it is damaged: line ${String(number)} is not a JSON object`)
}

/** The lines have their line breaks. `readline` would also end lines at U+2028. */
async function* readLines(file: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const options = { highWaterMark: 256 * 1024, ...(signal && { signal }) }
  // Without an encoding in the options, it yields buffers.
  const chunks: AsyncIterable<Buffer> = createReadStream(file, options)
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end + 1)])
      parts = []
      length = 0
      start = end + 1
    }
    parts.push(chunk.subarray(start))
    length += chunk.length - start
    if (length > constants.MAX_STRING_LENGTH) throw new Error('it is damaged: a line is too long')
  }
  if (length > 0) yield Buffer.concat(parts)
}
