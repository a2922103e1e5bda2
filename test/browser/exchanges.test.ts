import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from './chromium.ts'
import { findFlawsOfState, findOverflow } from './look.ts'
import { openSite } from './site.ts'

/** Sends the first request of the page. */
async function send(page: Page): Promise<void> {
  const main = page.getByRole('main')
  const button = main.getByRole('button', { name: /^Send/ })
  await button
    .or(main.getByRole('link', { name: 'Send', exact: true }))
    .first()
    .click()
  await page.locator('.result .exchange').last().waitFor()
}

const path = (target: string) => async (page: Page) => {
  await page.getByLabel('Path').fill(target)
  await send(page)
}

const pages: readonly [path: string, open: (page: Page) => Promise<void>][] = [
  ['/', send],
  ['/', path('/httpbin/redirect/4')],
  ['/docs/getLocations', send],
  ['/docs/postLocations', send],
  ['/demos/status', send],
  ['/learn/methods', send],
  ['/learn/status-codes', send],
  ['/responses', send],
]

const body = '.exchange:not([hidden]) [data-part=body] > :not(figcaption)'

for (const [url, open] of pages) {
  test(`after ${url} sent a request, the body begins within 800 px`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ viewport: { width: 1280, height: 800 } })
    await page.goto(url)
    await open(page)
    const top = await page.evaluate<number>(
      `document.querySelector('.result ${body}').getBoundingClientRect().top + scrollY`,
    )
    assert.ok(top < 800, String(top))
  })
}

const shifts = `new Promise((resolve) => {
  let sum = 0
  const add = (list) => {
    for (const { value, hadRecentInput } of list) if (!hadRecentInput) sum += value
  }
  const observer = new PerformanceObserver((list) => add(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum), 0)))
})`

for (const url of [...new Set(pages.map(([one]) => one)), '/inspector', '/learn', '/docs']) {
  for (const width of [360, 1280]) {
    test(
      `little of ${url} moves while it is loaded, ${String(width)} px wide`,
      inBrowser,
      async (t) => {
        const { visit } = await openSite(t)
        const page = await visit({ viewport: { width, height: 800 } })
        await page.goto(url)
        await page.waitForLoadState('networkidle')
        const sum = await page.evaluate<number>(shifts)
        // https://web.dev/articles/cls: a sum of at most 0.1 is good.
        assert.ok(sum <= 0.1, String(sum))
      },
    )
  }
}

test('each hop of a redirect is an arrow, and a click shows its exchange', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/')
  await path('/httpbin/redirect/2')(page)
  const hops = page.getByRole('list', { name: /^Requests and responses/ }).getByRole('listitem')
  assert.equal(await hops.count(), 3)
  assert.equal(await hops.locator('svg.arrow').count(), 6)
  await hops.nth(0).getByText('location: /httpbin/relative-redirect/1').waitFor()
  const shown = page.locator('.result .exchange').filter({ visible: true })
  await shown.locator('.line', { hasText: '/httpbin/get' }).waitFor()
  await hops.nth(0).getByRole('link').click()
  await shown.locator('.line', { hasText: '/httpbin/redirect/2' }).waitFor()
  assert.equal(await shown.count(), 1)
  const current = page.locator('.diagram [aria-current]')
  assert.match(await current.innerText(), /redirect\/2/)
  await page.setViewportSize({ width: 360, height: 800 })
  assert.deepEqual(await findOverflow(page), [])
})

test('without the inspector, the diagram shows what the browser saw', inBrowser, async (t) => {
  const { visit } = await openSite(t, { INSPECTOR: 'off' })
  const page = await visit()
  await page.goto('/')
  await path('/httpbin/redirect/2')(page)
  const hops = page.locator('.diagram li')
  assert.equal(await hops.count(), 2)
  await hops.nth(1).getByText('/httpbin/get').waitFor()
  await hops.nth(1).getByText('200 OK').waitFor()
  await page.locator(`.result ${body}`).getByText('"url"').waitFor()
})

test('a hop to another host is a hop without a response', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ expectsBlocked: true })
  await page.goto('/')
  await path('/httpbin/redirect-to?url=data:text/plain,a')(page)
  const hops = page.locator('.diagram li')
  assert.equal(await hops.count(), 2)
  await hops.nth(0).getByText('302 Found').waitFor()
  await hops.nth(1).getByText('no response').waitFor()
})

test(
  'the tabs of an exchange are used with the keyboard, and have no defect',
  inBrowser,
  async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    const names = ['Body', 'Headers', 'Request', 'Timing', 'Code', 'About']
    for (const [index, name] of names.entries()) {
      const open = async () => {
        await page.goto('/')
        await path('/httpbin/redirect/1')(page)
        const tabs = page.getByRole('tablist', { name: 'Exchange' }).getByRole('tab')
        await tabs.first().focus()
        for (let step = 0; step < index; step += 1) await page.keyboard.press('ArrowRight')
        assert.equal(await page.locator('[role=tab]:focus').innerText(), name)
        await page.evaluate(
          'document.querySelectorAll("details").forEach((one) => (one.open = true))',
        )
      }
      assert.deepEqual(await findFlawsOfState(page, open), [])
    }
  },
)

const kinds: readonly [target: string, part: string, text: RegExp][] = [
  ['/httpbin/image/png', 'p:has-text("pixels")', /^100 × 100 pixels, 1\.7 KiB, image\/png\./],
  ['/httpbin/html', 'details > summary', /^Preview in a sandbox$/],
  ['/httpbin/get', '.tree', /"args": \{\}/],
  ['/locations.csv', 'table thead', /name\s+latitude/],
  ['/httpbin/bytes/100', '.hex', /^000000 {2}([0-9a-f]{2} ){8}/],
]

for (const [target, part, text] of kinds) {
  test(`the body of ${target} is shown once, by its kind`, inBrowser, async (t) => {
    const { app, visit } = await openSite(t)
    await app.inject({ method: 'PUT', url: '/locations/a', payload: { name: 'a,"b"' } })
    const page = await visit()
    const open = async () => {
      await page.goto('/')
      await path(target)(page)
      const body = page.locator('.result [data-part=body]').filter({ visible: true })
      assert.match(await body.locator(part).first().innerText(), text)
      assert.equal(await body.locator('[data-kind]').count(), 1)
      for (const summary of await body.locator('summary').all()) await summary.click()
    }
    assert.deepEqual(await findFlawsOfState(page, open), [])
  })
}

test('a tree of JSON folds, and copies the path of a member', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/')
  await path('/responses/custom?type=application/json&body={"a":[1,{"b c":12345678901234567890}]}')(
    page,
  )
  const tree = page.locator('.tree')
  await tree.getByText('12345678901234567890').waitFor()
  await tree.getByRole('button', { name: '"b c"' }).click()
  await tree.locator('.copied').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), '$.a[1]["b c"]')
  await tree.getByRole('button', { name: 'Members of $', exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await tree.getByText('12345678901234567890').waitFor({ state: 'hidden' })
})

test(
  'a stream appears line by line, dims the old result, and is cancelled',
  inBrowser,
  async (t) => {
    const { origin, visit } = await openSite(t)
    const page = await visit()
    const open = async () => {
      await page.goto('/')
      await path('/httpbin/get')(page)
      await page.getByLabel('Path').fill('/inspector/events')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page
        .locator('.arriving .actions')
        .getByText(/s, 1 chunk with/)
        .waitFor()
      await fetch(`${origin}/api/json`)
      await page
        .locator('.arriving pre')
        .getByText(/^data: .*"\/api\/json"/m)
        .waitFor()
      await page.locator('.result > [aria-busy=true][inert]').waitFor()
    }
    assert.deepEqual(await findFlawsOfState(page, open), [])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page
      .getByRole('status')
      .getByText(/, then you cancelled it\.$/)
      .waitFor()
    assert.equal(await page.locator('.arriving').count(), 0)
    const timing = page.getByRole('tab', { name: 'Timing' }).last()
    await timing.click()
    await page.locator('.marks svg[aria-label^="2 chunks"]').waitFor()
  },
)

test('a request that is cancelled before its response has none', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/')
  await page.getByLabel('Path').fill('/responses/custom?delay=8')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('status').getByText('you cancelled the request').waitFor()
})
