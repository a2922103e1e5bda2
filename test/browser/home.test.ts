import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'

test(
  'every demo can be tried from the home page, which shows the exchange',
  inBrowser,
  async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ errorStatuses: [418] })
    await page.goto('/')
    const forms = await page.locator('form.try').all()
    assert.ok(forms.length > 5)
    for (const form of forms) {
      for (const file of await form.locator('input[type=file]').all()) {
        const name = 'glass.txt'
        await file.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('glass') })
      }
      const [method, path] = (await form.locator('.actions code').innerText()).split(' ')
      await form.getByRole('button', { name: 'Send' }).click()
      const response = form.locator('.response').filter({ hasText: /^HTTP\/1\.1 \d{3} /m })
      await response.waitFor()
      assert.ok((await response.innerText()).startsWith(`${String(method)} ${String(path)}`))
    }
  },
)

test('without JavaScript a demo is tried with an ordinary form', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ javaScriptEnabled: false })
  await page.goto('/')
  await page
    .locator('form.try[action="/mirror/query"]')
    .getByRole('button', { name: 'Send' })
    .click()
  await page.waitForURL(/\/mirror\/query\?/)
})
