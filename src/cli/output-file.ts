import { createWriteStream, fstatSync, readlinkSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Writes to standard output if the target is `-`. Returns whether it did. */
export async function writeOutput(target: string, texts: AsyncIterable<string>): Promise<boolean> {
  const file = target === '-' ? undefined : findFile(target)
  const isOutput = target === '-' || (file !== undefined && isSameFile(file, fstatSync(1)))
  if (isOutput) await pipeline(texts, process.stdout, { end: false })
  else if (file && !file.isFile()) await pipeline(texts, createWriteStream(target))
  else await replaceFile(followLinks(target), texts)
  return isOutput
}

/** The file is replaced when all is written: until then it is as before. */
async function replaceFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  if (!findFile(dirname(path))) throw new Error(`the folder ${dirname(path)} does not exist`)
  const partial = `${path}.${String(process.pid)}.part`
  try {
    await pipeline(texts, createWriteStream(partial, { flags: 'wx' }))
    await rename(partial, path)
  } finally {
    await rm(partial, { force: true })
  }
}

export function findFile(path: string) {
  return statSync(path, { throwIfNoEntry: false })
}

type File = Pick<NonNullable<ReturnType<typeof findFile>>, 'dev' | 'ino'>

export function isSameFile(one: File, other: File): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

/** The path of the file that a link names, whether the file exists or not: a rename would replace the link. */
export function followLinks(path: string): string {
  // Throws if the links form a cycle.
  findFile(path)
  const target = findLink(path)
  if (target === undefined) return path
  return followLinks(isAbsolute(target) ? target : `${dirname(path)}/${target}`)
}

function findLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
