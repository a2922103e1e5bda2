import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const { CHROMIUM_PATH, PATH = '' } = process.env

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Chromium as `CHROMIUM_PATH` names it or the PATH has it; undefined where there is none. */
export function findChromium(): string | undefined {
  if (CHROMIUM_PATH) return CHROMIUM_PATH
  return PATH.split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find(isProgram)
}
