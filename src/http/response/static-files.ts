import mime from 'mime'
import { constants } from 'node:fs'
import { access, open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { clockTickMs, createFileCache } from './file-cache.ts'
import { hasCode } from '../../config/has-code.ts'
import { notFound, serviceUnavailable } from '../errors/http-error.ts'
import { decodePath } from '../request/target.ts'
import { toValidatorHeaders, toSource, type Bytes } from './send-bytes.ts'

const cache = createFileCache<Bytes>({ maxFileBytes: 1024 ** 2, maxBytes: 16 * 1024 ** 2 })

/** No file is a dot file outside `.well-known`, or leads out of `root`. One in memory is used at once, without a promise. */
export function withFile<Result>(root: string, path: string, use: (file?: Bytes) => Result) {
  const names = path.slice(1).split('/').map(decodePath)
  if (!names.every(isFileName)) return use()
  const name = [root, ...names].join(sep)
  const cached = cache.find(name)
  return cached ? use(cached) : loadFile(root, name).then(use)
}

/** An encoded slash or backslash does not separate names, and no file name contains one. */
function isFileName(name: string | undefined, index: number): name is string {
  return name !== undefined && name !== '' && !isHidden(name, index) && !/[\0/\\]/.test(name)
}

/** RFC 8615: the folder `.well-known` of the root is for everyone. */
const isHidden = (name: string, index: number) =>
  name.startsWith('.') && !(index === 0 && name === '.well-known')

async function loadFile(root: string, name: string): Promise<Bytes | undefined> {
  const found = await statInside(root, name)
  const isFolder = found?.version.isDirectory() === true
  const file = isFolder ? await statInside(root, join(name, 'index.html')) : found
  return file?.version.isFile() === true ? toBytes(name, file) : undefined
}

type FoundFile = NonNullable<Awaited<ReturnType<typeof statInside>>>

async function statInside(root: string, path: string) {
  try {
    const [realRoot, realPath] = await Promise.all([realpath(root), realpath(path)])
    const inside = relative(realRoot, realPath)
    if (inside.split(sep).some(isHidden)) return undefined
    await access(realPath, constants.R_OK)
    const names = relative(root, path).split(sep)
    const folders = names.slice(1).map((_, index) => join(root, ...names.slice(0, index + 1)))
    const isLinked = inside !== names.join(sep)
    return { path, realPath, folders, isLinked, version: await stat(realPath) }
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

async function toBytes(name: string, found: FoundFile): Promise<Bytes> {
  const { path, realPath, folders, isLinked, version } = found
  const { size, mtime: lastModified } = version
  // Replicas send the same tag. It is weak while a second change can have the same time (RFC 9110 §8.8.1).
  const weak = Date.now() - lastModified.getTime() > clockTickMs ? '' : 'W/'
  const etag = `${weak}"${size.toString(16)}-${lastModified.getTime().toString(16)}"`
  const file = { type: pathToContentType(realPath), size, lastModified, etag }
  const content = isLinked ? undefined : await cache.read(() => openFile(found), version)
  if (content === undefined) {
    const open: Bytes['open'] = async (start, end) =>
      (await openFile(found)).createReadStream({ start, end, highWaterMark: 128 * 1024 })
    return { ...file, open }
  }
  const metadata = { ...file, ...toSource(content), headers: toValidatorHeaders(file) }
  cache.add(name, { path, folders, version, metadata })
  return metadata
}

/** The path can lead to another file since it was found. */
async function openFile({ realPath, version }: FoundFile): Promise<FileHandle> {
  const file = await openPath(realPath)
  const { dev, ino } = await file.stat()
  const isSame = dev === version.dev && ino === version.ino
  if (isSame && (await findOpenedPath(file, realPath)) === realPath) return file
  await file.close()
  throw serviceUnavailable('The file was replaced while it was read.')
}

/** Linux knows where the file lies: a folder can be a symbolic link for a moment. */
async function findOpenedPath({ fd }: FileHandle, path: string): Promise<string> {
  return readlink(`/proc/self/fd/${String(fd)}`).catch(() => path)
}

async function openPath(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    if (isAbsence(error)) throw notFound('The file no longer exists.')
    const isFull = hasCode(error, 'EMFILE', 'ENFILE')
    throw isFull ? serviceUnavailable('Too many files are open.') : error
  }
}

function isAbsence(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES', 'EPERM')
}

function pathToContentType(path: string): string {
  const type = mime.getType(path) ?? 'application/octet-stream'
  const isText = type.startsWith('text/') || /\/(javascript|json|.*\+(xml|json))$/.test(type)
  return isText ? `${type}; charset=utf-8` : type
}
