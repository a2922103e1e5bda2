import { findProgram } from '../find-program.ts'

/** The path of Chromium from `CHROMIUM_PATH` or the PATH; undefined if it is not installed. Debian's headless shell
 * is the same browser without its windows, and takes less time. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || findProgram('chromium-headless-shell', 'chromium')
}
