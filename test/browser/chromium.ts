import { chromium, type Browser } from 'playwright-core'
import { after } from 'node:test'
import { findChromium } from '../support/find-chromium.ts'

/**
 * Options of a test that needs a browser. It is skipped when none is installed, unless
 * `REQUIRE_BROWSER` is set, as it is in CI: then it fails.
 */
export const inBrowser = {
  skip:
    findChromium() === undefined && !process.env.REQUIRE_BROWSER
      ? 'Chromium is not installed; install it or set CHROMIUM_PATH'
      : false,
}

/**
 * A name for this machine as another in the local network would call it. What comes from there
 * without HTTPS is not a secure context: no clipboard, no Sec-Fetch-Site.
 */
export const localName = 'vitrine.test'

let started: Promise<Browser> | undefined

/** The one browser of a test file, started when it is first needed and closed at its end. */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('REQUIRE_BROWSER is set: there is no Chromium')
  const args = [`--host-resolver-rules=MAP ${localName} 127.0.0.1`]
  started ??= chromium.launch({ executablePath, args })
  return started
}

after(async () => {
  await (await started)?.close()
})
