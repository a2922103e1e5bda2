import { findProgram } from '../find-program.ts'

/** The path of Chromium from `CHROMIUM_PATH` or the PATH; undefined if it is not installed. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || findProgram('chromium')
}
