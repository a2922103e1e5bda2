import { createWriteStream, fstatSync, readlinkSync, statSync } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { hasCode } from '../config/has-code.ts'
import { removeDead } from './remove-dead.ts'

/** Writes to standard output if the target is `-`. Returns whether it did. */
export async function writeOutput(target: string, texts: AsyncIterable<string>): Promise<boolean> {
  const file = target === '-' ? undefined : findFile(target)
  const isOutput = target === '-' || (file !== undefined && isSameFile(file, fstatSync(1)))
  if (isOutput) await pipeline(texts, process.stdout, { end: false })
  else if (file && !file.isFile()) await pipeline(texts, createWriteStream(target))
  else await createFile(target, texts, { check: () => Promise.resolve() })
  return isOutput
}

/** Other machines may write to the same folder. */
const marker = `.vitrine-${hostname()}-`
const partialPattern = new RegExp(`${RegExp.escape(marker)}(\\d+)\\.part$`)

interface Writing<Result> {
  mode?: number
  signal?: AbortSignal
  check: (partial: string) => Promise<Result>
}

/** Throws if the file exists. It gets its name when all is on the disk. A link names the file that is created. */
export async function createFile<Result>(
  target: string,
  texts: AsyncIterable<string>,
  { mode = 0o666, signal, check }: Writing<Result>,
): Promise<Result> {
  const path = followLinks(target)
  if (findFile(path)) throw new Error(`${path} already exists`)
  const folder = dirname(path)
  if (!findFile(folder)) throw new Error(`the folder ${folder} does not exist`)
  await removeDead(folder, partialPattern)
  const partial = `${path}${marker}${String(process.pid)}.part`
  // In a container, each process may have the same number.
  await rm(partial, { force: true })
  try {
    // It is open before the first text is made: a stream could create it after a failure, and it would remain.
    const file = await open(partial, 'wx', mode)
    await pipeline(texts, file.createWriteStream({ flush: true }), { signal })
    const result = await check(partial)
    await giveName(partial, path)
    await synchronize(folder)
    return result
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  } finally {
    await rm(partial, { force: true })
  }
}

/** Unlike a rename, a link fails if another process has made a file of this name meanwhile. FAT has no links. */
async function giveName(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw new Error(`${path} already exists`, { cause: error })
    await rename(partial, path)
  }
}

/** The name of a file is on the disk when its folder is. Windows cannot open folders. */
async function synchronize(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder)
  await handle.sync()
}

const findFile = (path: string) => statSync(path, { throwIfNoEntry: false })

type File = Pick<NonNullable<ReturnType<typeof findFile>>, 'dev' | 'ino'>

function isSameFile(one: File, other: File): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

/** The path of the file that a link names, whether the file exists or not: a rename would replace the link. */
function followLinks(path: string): string {
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
