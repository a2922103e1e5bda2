import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecord } from '../resources.ts'
import { ann } from '../sign-in.ts'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'
import { submit, waitForHeading } from './steps.ts'

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
    await page.getByRole('link', { name: 'Ann', exact: true }).waitFor()
    const given = await page.locator('main mark').last().innerText()
    await page.getByRole('button', { name: 'Renew the id' }).click()
    await page.getByText('Renewing gave you a new id').waitFor()
    const [old, renewed] = await page.locator('main mark').allInnerTexts()
    assert.equal(old, given)
    assert.notEqual(renewed, given)
    await page.getByRole('button', { name: 'Log out' }).click()
    await waitForHeading(page, 'Log in')
    await page.goto('/session')
    await waitForHeading(page, 'Log in')
  })
}
