import axe, { type AxeResults } from 'axe-core'
import type { CDPSession, Page, Response } from 'playwright-core'
import { gzipSync } from 'node:zlib'

/** Of a page with all its parts, compressed. */
const maxPageBytes = 100_000

export interface Mode {
  width: number
  colorScheme: 'light' | 'dark'
  hasScripts: boolean
}

export const light: Mode = { width: 1280, colorScheme: 'light', hasScripts: true }

const modes: readonly Mode[] = [
  light,
  { width: 400, colorScheme: 'dark', hasScripts: true },
  { width: 400, colorScheme: 'dark', hasScripts: false },
]

const sessions = new WeakMap<Page, CDPSession>()

/**
 * Opens a page with `go` in each mode, and lists its defects: its weight, sideways scroll, and what axe
 * finds. Every `<details>` is open.
 */
export async function findFlaws(page: Page, go: () => Promise<unknown>, chosen = modes) {
  const flaws: string[] = []
  for (const mode of chosen) {
    const load = () => openIn(page, mode, go)
    if (mode === light) flaws.push(...(await weigh(page, load)))
    else await load()
    await openDetails(page, mode)
    flaws.push(...(await findFlawsIn(page, mode)))
    if (mode === light) flaws.push(...(await findOverflowAt320(page)))
  }
  return flaws
}

/** As above, for a state of a page that `open` reaches on a small screen. */
export async function findFlawsOfState(page: Page, open: () => Promise<unknown>) {
  const flaws: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    const mode = { width: 400, colorScheme, hasScripts: true }
    await openIn(page, mode, open)
    flaws.push(...(await findFlawsIn(page, mode)))
  }
  return flaws
}

async function openIn(page: Page, mode: Mode, go: () => Promise<unknown>): Promise<void> {
  const { width, colorScheme, hasScripts } = mode
  await page.setViewportSize({ width, height: 800 })
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  const setDisabled = (value: boolean) =>
    session.send('Emulation.setScriptExecutionDisabled', { value })
  await setDisabled(!hasScripts)
  await go()
  await page.waitForLoadState('load')
  // For axe. The scripts of the page stay unexecuted, and `noscript` stays rendered.
  await setDisabled(false)
}

async function findFlawsIn(page: Page, mode: Mode): Promise<string[]> {
  const { width, colorScheme, hasScripts } = mode
  const where = `${String(width)} px, ${colorScheme}${hasScripts ? '' : ', without scripts'}`
  const flaws = [...(await findOverflow(page)), ...(await findBarriers(page))]
  return flaws.map((flaw) => `${where}: ${flaw}`)
}

/** The document and everything that it loads, each compressed. */
async function weigh(page: Page, load: () => Promise<void>): Promise<string[]> {
  let responses: Response[] = []
  const note = (response: Response) => {
    // Responses to an earlier page are no longer in the browser, and not part of this one.
    if (response.request().isNavigationRequest()) responses = []
    // A stream of events does not end.
    if (response.request().resourceType() !== 'eventsource') responses.push(response)
  }
  page.on('response', note)
  await load()
  page.off('response', note)
  let bytes = 0
  for (const response of responses) bytes += gzipSync(await readWhole(page, response)).length
  return bytes < maxPageBytes ? [] : [`weighs ${String(bytes)} bytes, compressed`]
}

/** The browser gets 304 for what it has cached; removed entries have no body. */
async function readWhole(page: Page, response: Response): Promise<Buffer> {
  const again = async () => (await page.request.get(response.url())).body()
  return response.status() === 304 ? again() : response.body().catch(again)
}

/** Waits until the request inspector has loaded, where there is one. */
async function openDetails(page: Page, { hasScripts }: Mode): Promise<void> {
  await page.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))')
  const loaded = 'details.inspector [data-exchange], body:not(:has(details.inspector)) main'
  if (hasScripts) await page.locator(loaded).first().waitFor()
}

/** WCAG 2.2, 1.4.10. */
async function findOverflowAt320(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 320, height: 640 })
  const flaws = await findOverflow(page)
  await page.setViewportSize({ width: light.width, height: 800 })
  return flaws.map((flaw) => `320 px: ${flaw}`)
}

export async function findOverflow(page: Page): Promise<string[]> {
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  return wide > 0 ? [`is ${String(wide)} px too wide`] : []
}

/** The findings of axe, including WCAG 2.2. The debugger runs it, so the page keeps its CSP. */
async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>(
    'axe.run({ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })',
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
  )
}
