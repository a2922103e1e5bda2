import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { dataFile } from '../support/data-app.ts'
import { createRecord } from '../support/resources.ts'
import { ann } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { inBrowser, localName } from './chromium.ts'
import { findFlawsOfState } from './look.ts'
import { formPages, openSite } from './site.ts'
import { openPanel, submit, waitForHeading } from './steps.ts'

test('the panel shows the exchange of the page, and a 304 after it', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  const { _id } = await createRecord(app, '/locations', { name: 'Rome' })
  const page = await visit()
  for (const path of [`/locations/${_id}`, '/docs', ...formPages.slice(0, 1)]) {
    await page.goto(path)
    const first = await openPanel(page)
    await first.locator('.line', { hasText: path }).waitFor()
    await first.locator('.line', { hasText: '200 OK' }).waitFor()
    for (const again of [() => page.reload(), () => page.goto(path)]) {
      await again()
      const later = await openPanel(page)
      await later.locator('.line', { hasText: '304 Not Modified' }).waitFor()
      assert.equal(await page.locator('.inspector > summary .status').textContent(), '304')
      await later.getByRole('tab', { name: 'Request' }).click()
      await later
        .getByRole('tabpanel')
        .getByText(/^if-none-match: /im)
        .waitFor()
      await later.getByRole('tab', { name: 'Body' }).click()
    }
  }
})

test('a page that a form opened shows its POST, on a local network too', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ hostname: localName })
  await page.goto('/locations/new')
  await page.getByLabel('Name').fill('Rome')
  await page.getByRole('button', { name: 'Create location' }).click()
  const exchange = await openPanel(page)
  await exchange.locator('.line', { hasText: /POST \/locations\/ 201 Created/ }).waitFor()
})

/** The method and the target of an exchange or of a hop. */
const toLine = async (place: Locator): Promise<string> =>
  `${await place.locator('.method').first().innerText()} ${await place.locator('code').first().innerText()}`

test('the panel shows the request before a redirect too', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  await createRecord(app, '/users', ann)
  const page = await visit({ errorStatuses: [401] })
  const assertChain = async (...lines: string[]) => {
    await openPanel(page)
    const exchange = page.locator('.inspector .exchange').filter({ visible: true })
    assert.equal(await toLine(exchange), lines.at(-1))
    const hops = page.locator('.inspector .diagram a')
    // Earlier requests of the same page can have led to these.
    const shown = await Promise.all((await hops.all()).slice(-lines.length).map(toLine))
    if (lines.length > 1) assert.deepEqual(shown, lines)
  }
  await page.goto('/login')
  await submit(page, { Name: ann.name, Password: 'wrong horse' }, 'Log in')
  await page.getByRole('alert').waitFor()
  await assertChain('POST /login')
  await submit(page, { Name: ann.name, Password: ann.password }, 'Log in')
  await waitForHeading(page, 'Session')
  await assertChain('POST /login', 'GET /session')
  await page.reload()
  await assertChain('GET /session')
  await page.getByRole('main').getByRole('button', { name: 'Log out' }).click()
  await waitForHeading(page, 'Log in')
  await assertChain('POST /logout', 'GET /login')
  await app.inject({ method: 'PUT', url: '/locations/rome', payload: { name: 'Rome' } })
  await page.goto('/locations/rome/edit')
  await submit(page, { Name: 'Roma' }, 'Save')
  await waitForHeading(page, 'Roma')
  await assertChain('PATCH /locations/rome/', 'GET /locations/rome')
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Yes, delete it' }).click()
  await waitForHeading(page, 'Locations')
  await assertChain('POST /locations/rome', 'GET /locations')
  const logIn = async () => {
    await page.goto('/login')
    await submit(page, { Name: ann.name, Password: ann.password }, 'Log in')
    await assertChain('POST /login', 'GET /session')
  }
  assert.deepEqual(await findFlawsOfState(page, logIn), [])
})

test('a command is copied as it is shown', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/users')
  const exchange = await openPanel(page)
  await exchange.getByRole('tab', { name: 'Code' }).click()
  const tabs = exchange.getByRole('tablist', { name: 'Command' }).getByRole('tab')
  assert.deepEqual(await tabs.allTextContents(), [
    'curl',
    'Windows (cmd)',
    'fetch',
    'Python',
    'HTTPie',
    'Go',
  ])
  for (const tab of await tabs.all()) {
    await tab.click()
    const figure = exchange.getByRole('tabpanel').getByRole('tabpanel')
    await figure.getByRole('button', { name: 'Copy' }).click()
    await figure.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.equal(copied, await figure.locator('code').textContent())
  }
  await exchange.getByRole('button', { name: 'Replay in this browser' }).click()
  await page.getByRole('status').getByText('Response: 200 OK').waitFor()
})

test('the panel stays open, and the chosen command stays chosen', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/users')
  const exchange = await openPanel(page)
  await exchange.locator('.line', { hasText: '/users' }).waitFor()
  await exchange.getByRole('tab', { name: 'Body' }).focus()
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowRight')
  await exchange.getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.goto('/locations')
  await page.getByRole('tab', { name: 'Code', selected: true }).waitFor()
  await page.getByRole('tab', { name: 'fetch', selected: true }).waitFor()
  await page.getByRole('tabpanel').getByRole('tabpanel').getByText('await fetch').waitFor()
  assert.equal(await page.getByText(/^curl /).isVisible(), false)
  await page.locator('details.inspector > summary').click()
  await until(() => page.evaluate<boolean>("localStorage.inspector === 'closed'"))
  await page.goto('/users')
  await page.locator('details.inspector:not([open]) > summary').getByText('304').waitFor()
})

test(
  'an exchange without JavaScript shows its commands one after another',
  inBrowser,
  async (t) => {
    const { app, visit } = await openSite(t)
    const { headers } = await app.inject({ url: '/users', headers: { accept: 'text/html' } })
    const page = await visit({ javaScriptEnabled: false })
    await page.goto(`/inspector/${String(headers['x-request-id'])}`)
    for (const name of [
      'Body',
      'Headers',
      'Request',
      'Timing',
      'About',
      'curl',
      'fetch',
      'Python',
      'HTTPie',
      'Go',
    ]) {
      await page.locator('figcaption').getByText(name, { exact: true }).waitFor()
    }
  },
)

test('code can be copied over plain HTTP from another computer', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ hostname: localName })
  await page.goto('/users')
  const exchange = await openPanel(page)
  await exchange.getByRole('tab', { name: 'Code' }).click()
  const code = (await exchange.getByText(/^curl /).textContent()) ?? ''
  await exchange.getByRole('button', { name: 'Copy' }).first().click()
  await exchange.getByRole('button', { name: 'Copied' }).waitFor()
  await page.evaluate(`document.body.append(document.createElement('textarea'))`)
  const pasted = page.locator('textarea').last()
  await pasted.focus()
  await page.keyboard.press('Control+V')
  assert.equal(await pasted.inputValue(), code)
})

test(
  'behind a proxy that sets request ids, each request shows its own exchange',
  inBrowser,
  async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ extraHTTPHeaders: { 'x-request-id': 'named-by-the-proxy' } })
    await page.goto('/')
    await (await openPanel(page)).locator('.line', { hasText: 'GET' }).waitFor()
    await page.goto('/profile.html')
    const file = { name: 'glass.txt', mimeType: 'text/plain', buffer: Buffer.from('glass') }
    await page.getByLabel('File').setInputFiles(file)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('link', { name: 'Inspect this request' }).click()
    await page.getByRole('heading', { name: 'POST /profile' }).waitFor()
  },
)

const blocked = ['localStorage', 'sessionStorage'].map(
  (name) =>
    `Object.defineProperty(window, '${name}', { get() { throw new DOMException('', 'SecurityError') } })`,
)

test('pages work in a browser that blocks storage', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  await createRecord(app, '/users', ann)
  const page = await visit()
  await page.addInitScript(blocked.join('\n'))
  await page.goto('/demos/mirror')
  await page.getByRole('navigation', { name: 'Site' }).getByText('Request inspector').waitFor()
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).waitFor()
  const exchange = await openPanel(page)
  await exchange.getByRole('tab', { name: 'Code' }).click()
  await exchange.getByRole('tab', { name: 'fetch' }).click()
  await exchange.getByText('await fetch').waitFor()
  await page.goto('/login')
  await submit(page, { Name: ann.name, Password: ann.password }, 'Log in')
  await waitForHeading(page, 'Session')
  await page.locator('#site-nav').getByText('Logged in as').waitFor()
})

test('fields may have the names of properties of a form', inBrowser, async (t) => {
  const note = { append: 'a', method: 'm', action: 'x', submit: 's', elements: 'e' }
  const DATA_FILE = await dataFile(t, { notes: [{ id: '1', ...note }] })
  const { visit } = await openSite(t, { DATA_FILE })
  const page = await visit({ errorStatuses: [412] })
  await page.goto('/notes/1/edit')
  const other = await page.context().newPage()
  await other.goto('/notes/1/edit')
  await submit(page, { Append: 'b' }, 'Save')
  await page.getByText('Delete', { exact: true }).waitFor()
  await submit(other, { Append: 'c' }, 'Save')
  await other.getByText('has changed since you opened it').waitFor()
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Yes, delete it' }).click()
  await waitForHeading(page, 'Notes')
})
