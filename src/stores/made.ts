import { closeSync, existsSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileMode, folderMode } from './file-modes.ts'

/** The database and the folders that this process has made, in this order. */
export const createdPaths: string[] = []

export function makeFile(path: string): void {
  makeFolder(dirname(path))
  if (existsSync(path)) return
  closeSync(openSync(path, 'a', fileMode))
  // A link that named no file was there before.
  createdPaths.push(realpathSync(path))
}

/** The option `recursive` loops forever where the file system rejects a folder with ENOENT. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, folderMode)
    createdPaths.push(path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}
