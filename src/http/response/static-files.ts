import mime from 'mime'
import { constants, type Stats } from 'node:fs'
import { access, open, realpath, stat, type FileHandle } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { createFileCache } from './file-cache.ts'
import { notFound, serviceUnavailable } from '../errors/http-error.ts'
import type { Bytes } from './send-bytes.ts'

/** What is read of a larger file at a time: twice the usual, which buys a fifth of its time. */
const highWaterMark = 128 * 1024

const cache = createFileCache<Bytes>({ maxFileBytes: 1024 ** 2, maxBytes: 16 * 1024 ** 2 })

/**
 * The file at `path`, which is as in a URL and begins with a slash; the `index.html` of a folder.
 * Undefined when there is none, when a name in the path begins with a dot, or when the path leads
 * out of `root`, by a symbolic link too.
 */
export function findFile(
  root: string,
  path: string,
): Bytes | undefined | Promise<Bytes | undefined> {
  const segments = decodeSegments(path)
  if (segments === undefined) return undefined
  const place = join(root, ...segments)
  return cache.find(place)?.about ?? statFile(root, place)
}

async function statFile(root: string, place: string): Promise<Bytes | undefined> {
  const found = await statInside(root, place)
  const file = found?.isDirectory ? await statInside(root, join(place, 'index.html')) : found
  if (file === undefined || file.isDirectory) return undefined
  return cache.confirm(place, file)?.about ?? toBytes(place, file)
}

function toBytes(place: string, file: Found): Bytes {
  const { path, realPath, version } = file
  const { size, mtime: lastModified } = version
  const about = {
    type: toContentType(realPath),
    size,
    lastModified,
    // As servers of files have it: two writes in one millisecond to the same size look alike.
    etag: `"${size.toString(16)}-${lastModified.getTime().toString(16)}"`,
  }
  return {
    ...about,
    open: async (start, end) => {
      const content = await readCached(file)
      if (content === undefined) {
        const opened = await openFile(realPath)
        return opened.createReadStream({ start, end, highWaterMark })
      }
      const open: Bytes['open'] = (from, to) => content.subarray(from, to + 1)
      cache.keep(place, { path, realPath, version, content, about: { ...about, open } })
      return open(start, end)
    },
  }
}

async function readCached({ realPath, version }: Found): Promise<Buffer | undefined> {
  if (!cache.takes(version)) return undefined
  await using file = await openFile(realPath)
  return await cache.read(file, version)
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    if (isAbsence(error)) throw notFound('The file is gone.')
    const isFull = hasCode(error, ['EMFILE', 'ENFILE'])
    throw isFull ? serviceUnavailable('Too many files are open here just now.') : error
  }
}

function decodeSegments(path: string): readonly string[] | undefined {
  const names = path.slice(1).split('/').map(decodeSegment)
  return names.every(isFileName) ? names : undefined
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** An encoded slash or backslash is part of a name here, and no file has such a name. */
function isFileName(name: string | undefined): name is string {
  return name !== undefined && name !== '' && !name.startsWith('.') && !/[\0/\\]/.test(name)
}

interface Found {
  /** Before links are followed. */
  path: string
  realPath: string
  isDirectory: boolean
  version: Stats
}

async function statInside(root: string, path: string): Promise<Found | undefined> {
  try {
    const [realRoot, realPath] = await Promise.all([realpath(root), realpath(path)])
    const inside = relative(realRoot, realPath)
    // Where a symbolic link leads counts, and not its own name alone.
    if (inside.split(sep).some((name) => name.startsWith('.'))) return undefined
    await access(realPath, constants.R_OK)
    const version = await stat(realPath)
    const isDirectory = version.isDirectory()
    if (!isDirectory && !version.isFile()) return undefined
    return { path, realPath, isDirectory, version }
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

// Nothing there, no folder on the way, a name too long to be one, a circle of links, not ours to read.
const absences: readonly unknown[] = [
  'ENOENT',
  'ENOTDIR',
  'ENAMETOOLONG',
  'ELOOP',
  'EACCES',
  'EPERM',
]

function isAbsence(error: unknown): boolean {
  return hasCode(error, absences)
}

function hasCode(error: unknown, codes: readonly unknown[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(error.code)
}

function toContentType(path: string): string {
  const type = mime.getType(path) ?? 'application/octet-stream'
  const isText = type.startsWith('text/') || /\/(javascript|json|.*\+(xml|json))$/.test(type)
  return isText ? `${type}; charset=utf-8` : type
}
