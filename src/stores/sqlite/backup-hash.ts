import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

// The last line of a backup. SQLite ignores bytes after its pages.
const lastLine = /^vitrine-sha256 ([0-9a-f]{64})\n$/
const lastLineBytes = 80

export async function appendHash(path: string): Promise<void> {
  await appendFile(path, `vitrine-sha256 ${await hashUpTo(path)}\n`)
}

export async function hasItsHash(path: string): Promise<boolean | undefined> {
  await using file = await open(path)
  const { size } = await file.stat()
  const start = Math.max(0, size - lastLineBytes)
  const { buffer } = await file.read({ buffer: Buffer.alloc(lastLineBytes), position: start })
  const [, expected] = lastLine.exec(buffer.toString('latin1')) ?? []
  return expected === undefined ? undefined : (await hashUpTo(path, start)) === expected
}

async function hashUpTo(path: string, end = Infinity): Promise<string> {
  const hash = createHash('sha256').setEncoding('hex')
  await pipeline(createReadStream(path, { end: end - 1 }), hash)
  return String(hash.read())
}
