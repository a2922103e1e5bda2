import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'
import { waitForHeading } from './steps.ts'

const visitors = { SANDBOXES: 'visitor' }

async function createLocation(page: Page, name: string): Promise<void> {
  await page.goto('/locations/new')
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create location', exact: true }).click()
  await waitForHeading(page, name)
}

async function findLink(page: Page, label: string): Promise<string> {
  const banner = page.locator('details.sandbox')
  await banner.locator('> summary').click()
  // Both links begin with "Link to read", and the one to read only is the last.
  return banner.locator('figure', { hasText: label }).last().locator('code').innerText()
}

async function join(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForURL(/\/$/)
}

test('two browsers have sandboxes of their own', inBrowser, async (t) => {
  const { visit } = await openSite(t, visitors)
  const [ann, bob] = [await visit(), await visit()]
  await ann.goto('/docs')
  assert.deepEqual(await ann.context().cookies(), [])
  await createLocation(ann, 'Pier')
  await bob.goto('/locations')
  await bob.getByText('There are no locations yet.').waitFor()
  await ann.goto('/locations')
  await ann.getByRole('link', { name: 'Pier' }).first().waitFor()
})

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? '' : ' without JavaScript'
  test(`a sandbox is joined by its link, changed, reset and left${how}`, inBrowser, async (t) => {
    const { visit } = await openSite(t, visitors)
    const [ann, bob] = [await visit(), await visit({ javaScriptEnabled })]
    await createLocation(ann, 'Pier')
    await join(bob, await findLink(ann, 'Link to read and write'))
    await createLocation(bob, 'Mole')
    await ann.goto('/locations')
    await ann.getByRole('link', { name: 'Mole' }).first().waitFor()
    await bob.goto('/_vitrine/sandbox')
    await bob.getByText('Reset', { exact: true }).click()
    await bob.getByRole('button', { name: 'Yes, reset it' }).click()
    await waitForHeading(bob, 'Your sandbox')
    await bob.goto('/locations')
    await bob.getByText('There are no locations yet.').waitFor()
    await bob.goto('/_vitrine/sandbox')
    await bob.getByText('Leave', { exact: true }).click()
    await bob.getByRole('button', { name: 'Yes, leave it' }).click()
    await bob.waitForURL(/\/$/)
    assert.equal(await bob.locator('details.sandbox').count(), 0)
  })
}

test(
  'who has joined to read sees the records, and no buttons to change them',
  inBrowser,
  async (t) => {
    const { visit } = await openSite(t, visitors)
    const [ann, bob] = [await visit(), await visit()]
    await createLocation(ann, 'Pier')
    const { pathname } = new URL(ann.url())
    await ann.getByText('Edit', { exact: true }).waitFor()
    await join(bob, await findLink(ann, 'Link to read'))
    for (const path of [pathname, '/locations', '/uploads']) {
      await bob.goto(path)
      assert.equal(
        await bob.getByText(/^(Edit|Delete|New location|Upload a file)$/).count(),
        0,
        path,
      )
    }
  },
)

test('the command of a composer has the sandbox of the page', inBrowser, async (t) => {
  const { app, visit } = await openSite(t, visitors)
  const page = await visit()
  await createLocation(page, 'Pier')
  await page.goto('/docs/getLocations')
  await page.getByText('curl', { exact: true }).first().click()
  const command = () => page.locator('.composer .command code').first().textContent()
  await until(async () => (await command())?.includes('/s/') === true)
  const [, url = ''] = /'https?:\/\/[^/]+([^']*)'/.exec((await command()) ?? '') ?? []
  const response = await app.inject({ url, headers: { accept: 'application/json' } })
  assert.deepEqual(
    response.json<{ name: string }[]>().map(({ name }) => name),
    ['Pier'],
  )
  await page.getByRole('button', { name: 'Send' }).first().click()
  await page.getByText('The link does not contain your sandbox').waitFor()
  assert.doesNotMatch(decodeURIComponent(page.url()), /\/s\//)
})

const paths = ['/locations', '/uploads', '/bins', '/_vitrine/sandbox']

for (const path of paths)
  test(`on ${path} the question before a reset is below its button`, inBrowser, async (t) => {
    const { visit } = await openSite(t, visitors)
    const page = await visit()
    await createLocation(page, 'Pier')
    await page.goto(path)
    const banner = page.locator('.sandbox > summary')
    if ((await banner.count()) > 0) await banner.click()
    const reset = page.locator('.confirm > summary', { hasText: 'Reset' })
    await reset.click()
    const [button, question] = await Promise.all([
      reset.boundingBox(),
      page.locator('.confirm[open] > form').boundingBox(),
    ])
    assert.ok(button && question)
    const gap = question.y - (button.y + button.height)
    assert.ok(gap >= 0 && gap < 40, `${String(gap)} pixels below`)
    assert.ok(
      Math.abs(question.x - button.x) < 40,
      `${String(question.x - button.x)} pixels beside`,
    )
  })
