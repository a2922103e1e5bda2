import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { demos } from '../../src/demos/catalogue.ts'
import { catalogueApp, type TestApp } from '../support/test-app.ts'
import { localName, openBrowser } from './chromium.ts'

/** The static pages with forms of the demos that there are. */
export const formPages = demos.flatMap(({ form = [] }) => form)

interface Visit extends BrowserContextOptions {
  /** Expected errors; a browser logs each to its console. */
  errorStatuses?: readonly number[]
  /** Whether the browser blocks requests on purpose. */
  expectsBlocked?: boolean
  /** 127.0.0.1 when unset. */
  hostname?: typeof localName
}

export interface Site {
  app: TestApp
  /** `http://127.0.0.1:39213` */
  origin: string
  /** A window without cookies or cache; `page.context()` opens more tabs. */
  visit: (options?: Visit) => Promise<Page>
}

/**
 * The app on a port, for visitors with a browser. The test fails if any page had an error on its
 * console, a script failed, or anything was requested from another host.
 */
export async function openSite(
  t: TestContext,
  settings: Record<string, string> = {},
): Promise<Site> {
  const contexts: BrowserContext[] = []
  const complaints: string[] = []
  // Before the app closes, so that no page sends requests to a closed app.
  t.after(() => Promise.all(contexts.map((context) => context.close())))
  const app = await catalogueApp(t, {
    settings: { ALLOWED_HOSTS: `localhost,ip,${localName}`, ...settings },
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => {
    assert.deepEqual(complaints, [])
  })
  const visit: Site['visit'] = async (visitor = {}) => {
    const { errorStatuses = [], expectsBlocked = false, hostname, ...options } = visitor
    const browser = await openBrowser()
    const baseURL = hostname ? origin.replace('127.0.0.1', hostname) : origin
    const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', ...options })
    contexts.push(context)
    watchContext(context, {
      origin: baseURL,
      errorStatuses,
      expectsBlocked,
      complain: (text) => complaints.push(text),
    })
    return context.newPage()
  }
  return { app, origin, visit }
}

interface Rules {
  origin: string
  errorStatuses: readonly number[]
  expectsBlocked: boolean
  complain: (text: string) => void
}

function watchContext(context: BrowserContext, rules: Rules): void {
  const { origin, errorStatuses, expectsBlocked, complain } = rules
  context.on('request', (request) => {
    const { origin: sent, protocol } = new URL(request.url())
    if (sent !== origin && protocol !== 'data:')
      complain(`requested from another host: ${request.url()}`)
  })
  context.on('weberror', (webError) => {
    complain(`${webError.page()?.url() ?? ''}: ${String(webError.error())}`)
  })
  context.on('console', (message) => {
    if (message.type() !== 'error') return
    // A browser without scripts also ignores `autofocus`, and logs it if scripts are disabled for a while.
    if (message.text().startsWith('Blocked autofocusing')) return
    // Only pages name an icon, and otherwise a browser requests the default one.
    if (message.location().url === `${origin}/favicon.ico`) return
    if (
      expectsBlocked &&
      /blocked by CORS|net::ERR_(FAILED|UNSAFE_REDIRECT|CONTENT_LENGTH_MISMATCH)/.test(
        message.text(),
      )
    )
      return
    const status = /the server responded with a status of (\d+)/.exec(message.text())?.[1]
    if (errorStatuses.includes(Number(status))) return
    complain(`${message.page()?.url() ?? ''}: ${message.text()}`)
  })
}
