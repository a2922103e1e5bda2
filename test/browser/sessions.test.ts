import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecord } from '../support/resources.ts'
import { ann } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { inBrowser } from './chromium.ts'
import { formPages, openSite } from './site.ts'
import { submit, waitForHeading } from './steps.ts'

test('pages show who is logged in, and log out', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  await createRecord(app, '/users', ann)
  const page = await visit()
  let checks = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/session') && request.resourceType() === 'fetch') checks += 1
  })
  await page.goto('/login')
  await page.goto('/locations')
  assert.equal(checks, 0)
  await page.goto('/login')
  await submit(page, { Name: 'Ann', Password: ann.password }, 'Log in')
  await waitForHeading(page, 'Session')
  const navigation = page.getByRole('navigation', { name: 'Site' })
  for (const path of ['/session', '/locations', '/problems/not-found', ...formPages.slice(0, 1)]) {
    await page.goto(path)
    await navigation.getByText('Logged in as Ann').waitFor()
  }
  await navigation.getByRole('button', { name: 'Log out' }).click()
  await waitForHeading(page, 'Log in')
  await until(() => page.evaluate<boolean>('!localStorage.session'))
  checks = 0
  await page.goto('/locations')
  assert.equal(checks, 0)
  assert.equal(await navigation.getByText('Logged in').isVisible(), false)
})

test('a session that has ended is not shown', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  await createRecord(app, '/users', ann)
  const page = await visit()
  await page.goto('/login')
  await submit(page, { Name: 'Ann', Password: ann.password }, 'Log in')
  await page.getByRole('navigation').getByText('Logged in as Ann').waitFor()
  await page.context().clearCookies()
  await page.goto('/locations')
  await until(() => page.evaluate<boolean>('!localStorage.session'))
  assert.equal(await page.getByText('Logged in').isVisible(), false)
})

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? '' : ' without JavaScript'

  test(`a user logs in, sees the session, and logs out${how}`, inBrowser, async (t) => {
    const { app, visit } = await openSite(t)
    await createRecord(app, '/users', ann)
    const page = await visit({ javaScriptEnabled, errorStatuses: [401] })
    await page.goto('/session')
    await waitForHeading(page, 'Log in')
    await submit(page, { Name: 'Ann', Password: 'wrong horse' }, 'Log in')
    await page.getByText('No user has this name and password.').waitFor()
    await submit(page, { Password: ann.password }, 'Log in')
    await waitForHeading(page, 'Session')
    await page.getByRole('main').getByRole('link', { name: 'Ann', exact: true }).waitFor()
    const given = await page.locator('main mark').last().innerText()
    await page.getByRole('button', { name: 'Renew the id' }).click()
    await page.getByText('Renewing gave you a new id').waitFor()
    const [old, renewed] = await page.locator('main mark').allInnerTexts()
    assert.equal(old, given)
    assert.notEqual(renewed, given)
    await page.getByRole('main').getByRole('button', { name: 'Log out' }).click()
    await waitForHeading(page, 'Log in')
    await page.goto('/session')
    await waitForHeading(page, 'Log in')
  })
}
