import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser, localName } from './chromium.ts'
import { openSite } from './site.ts'
import { submit, waitForHeading } from './steps.ts'

async function createAnn(page: Page): Promise<void> {
  await page.goto('/users')
  await page.getByRole('link', { name: 'New user' }).click()
  await submit(page, { Name: 'Ann', Password: 'correct horse' }, 'Create user')
  await waitForHeading(page, 'Ann')
  await page
    .getByRole('status')
    .getByText(/^User created\. Its URL is \/users\//)
    .waitFor()
}

async function renameToAnna(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Edit' }).click()
  await submit(page, { Name: 'Anna' }, 'Save')
  await waitForHeading(page, 'Anna')
  await page.getByRole('status').getByText('Saved.').waitFor()
}

async function assertShownOnce(page: Page): Promise<void> {
  await page.goto(page.url())
  await waitForHeading(page, 'Anna')
  assert.equal(await page.getByText('Saved.').count(), 0)
}

async function deleteAnna(page: Page, message: string): Promise<void> {
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Yes, delete it' }).click()
  await waitForHeading(page, 'Users')
  await page.getByRole('status').getByText(message, { exact: true }).waitFor()
  await page.getByText('There are no users yet.').waitFor()
}

const places = [
  ['', {}],
  [' from the local network', { hostname: localName }],
] as const

for (const [where, visitor] of places) {
  test(`a user is created, edited by script and deleted${where}`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit(visitor)
    await createAnn(page)
    const patched = page.waitForRequest((request) => request.method() === 'PATCH')
    await renameToAnna(page)
    const { pathname } = new URL((await patched).url())
    assert.equal(pathname, `${new URL(page.url()).pathname}/`)
    assert.match(pathname, /^\/users\/[\w-]+\/$/)
    await assertShownOnce(page)
    await deleteAnna(page, 'Deleted Anna.')
  })

  test(`a user is created, edited and deleted without JavaScript${where}`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ ...visitor, javaScriptEnabled: false })
    const methods = new Set<string>()
    page.on('request', (request) => methods.add(request.method()))
    await createAnn(page)
    await renameToAnna(page)
    await assertShownOnce(page)
    await deleteAnna(page, 'Deleted.')
    assert.deepEqual(methods, new Set(['GET', 'POST']))
  })
}
