import { findProgram } from '../find-program.ts'

/** Chromium as `CHROMIUM_PATH` names it or the PATH has it; undefined where there is none. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || findProgram('chromium')
}
