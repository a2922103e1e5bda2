import axe, { type AxeResults } from 'axe-core'
import type { Page, Response } from 'playwright-core'
import { gzipSync } from 'node:zlib'

/** Of a page with all its parts and fonts, compressed. */
const maxPageBytes = 100_000
const widths = [400, 1280] as const
const schemes = ['light', 'dark'] as const
/** The color scheme that axe checks at each width: all of both in half the time. */
const schemeForAxe = { 400: 'dark', 1280: 'light' } as const

/**
 * Opens a page with `go`, checks it narrow and wide, light and dark, and lists its defects:
 * its weight, sideways scroll, and what axe finds. Everything that can be opened is open.
 */
export async function findFlaws(page: Page, go: () => Promise<unknown>): Promise<string[]> {
  const flaws = await weigh(page, go)
  await openAll(page)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const found = await findOverflow(page)
      if (schemeForAxe[width] === colorScheme) found.push(...(await findBarriers(page)))
      flaws.push(...found.map((flaw) => `${String(width)} px, ${colorScheme}: ${flaw}`))
    }
  }
  return flaws
}

/** The document and everything that it loads, each compressed. */
async function weigh(page: Page, go: () => Promise<unknown>): Promise<string[]> {
  let responses: Response[] = []
  const note = (response: Response) => {
    // Responses to an earlier page are no longer in the browser, and not part of this one.
    if (response.request().isNavigationRequest()) responses = []
    responses.push(response)
  }
  page.on('response', note)
  await go()
  await page.waitForLoadState('load')
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

/** Opens every `<details>`, and waits until the request inspector has loaded, where there is one. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))')
  const loaded = 'details.inspector [data-exchange], body:not(:has(details.inspector)) main'
  await page.locator(loaded).first().waitFor()
}

async function findOverflow(page: Page): Promise<string[]> {
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
