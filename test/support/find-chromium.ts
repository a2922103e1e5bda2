import { findProgram } from './find-program.ts'

/**
 * The path of Chromium from `CHROMIUM_PATH` or the PATH; undefined if it is not installed. The headless shell is
 * the same browser without windows, and takes two thirds of the time.
 */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || findProgram('chromium-headless-shell', 'chromium')
}
