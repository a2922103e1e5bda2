import mime from 'mime'
import { constants } from 'node:fs'
import { access, open, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { notFound, serviceUnavailable } from './refusal.ts'
import type { Bytes } from './send-bytes.ts'

/**
 * The file at `path`, which is as in a URL and begins with a slash; the `index.html` of a folder.
 * Undefined when there is none, when a name in the path begins with a dot, or when the path leads
 * out of `root`, by a symbolic link too.
 */
export async function findFile(root: string, path: string): Promise<Bytes | undefined> {
  const segments = decodeSegments(path)
  if (segments === undefined) return undefined
  const found = await statInside(root, join(root, ...segments))
  const file = found?.isDirectory
    ? await statInside(root, join(found.realPath, 'index.html'))
    : found
  if (file === undefined || file.isDirectory) return undefined
  const { realPath, size, lastModified } = file
  return {
    type: toContentType(realPath),
    size,
    lastModified,
    // As servers of files have it: two writes in one millisecond to the same size look alike.
    etag: `"${size.toString(16)}-${lastModified.getTime().toString(16)}"`,
    open: (start, end) => openFile(realPath, start, end),
  }
}

async function openFile(path: string, start: number, end: number): Promise<Readable> {
  try {
    return (await open(path)).createReadStream({ start, end })
  } catch (error) {
    if (isAbsence(error)) throw notFound('The file is gone.')
    const isFull = hasCode(error, ['EMFILE', 'ENFILE'])
    throw isFull ? serviceUnavailable('Too many files are open here just now.') : error
  }
}

function decodeSegments(path: string): readonly string[] | undefined {
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => decodeURIComponent(segment))
  // An encoded slash or backslash is part of a name here, and no file has such a name.
  return segments.some((name) => name === '' || name.startsWith('.') || /[\0/\\]/.test(name))
    ? undefined
    : segments
}

interface Found {
  realPath: string
  isDirectory: boolean
  size: number
  lastModified: Date
}

async function statInside(root: string, path: string): Promise<Found | undefined> {
  try {
    const [realRoot, realPath] = await Promise.all([realpath(root), realpath(path)])
    const inside = relative(realRoot, realPath)
    // Where a symbolic link leads counts, and not its own name alone.
    if (inside.split(sep).some((name) => name.startsWith('.'))) return undefined
    await access(realPath, constants.R_OK)
    const found = await stat(realPath)
    const isDirectory = found.isDirectory()
    if (!isDirectory && !found.isFile()) return undefined
    return { realPath, isDirectory, size: found.size, lastModified: found.mtime }
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
