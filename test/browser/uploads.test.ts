import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { listUploads } from '../support/uploads.ts'
import { inBrowser, localName } from './chromium.ts'
import { findFlawsOfState } from './look.ts'
import { demos } from '../../src/demos/catalogue.ts'
import { openSite } from './site.ts'
import { waitForHeading } from './steps.ts'

const buffer = Buffer.alloc(300_000, 'glass')
const file = { name: 'glass.txt', mimeType: 'text/plain', buffer }
const sha256 = createHash('sha256').update(buffer).digest('hex')

test('an upload by script shows its progress and the stored file', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  const page = await visit()
  const held = Promise.withResolvers<undefined>()
  await page.route('**/profile', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/profile.html')
  await page.getByLabel('File').setInputFiles(file)
  await page.getByText('glass.txt: 293 KiB, text/plain').waitFor()
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('progressbar', { name: 'Sent so far' }).waitFor()
  held.resolve(undefined)
  await page.getByText('Uploaded glass.txt.').waitFor()
  await page.getByText(sha256).waitFor()
  await page.getByText('The local file has the same digest').waitFor()
  await page.getByRole('progressbar').waitFor({ state: 'hidden' })
  assert.equal(await page.evaluate<number>('document.querySelector("progress").value'), 1)
  const results = (await listUploads(app)).map(({ name, sha256: kept }) => [name, kept])
  assert.deepEqual(results, [['glass.txt', sha256]])
})

test('the static form of a demo that is not open states this', inBrowser, async (t) => {
  const [other] = demos.filter(({ name, form }) => form !== undefined && name !== 'uploads')
  if (other?.form === undefined) {
    t.skip('no other demo has a form')
    return
  }
  const { visit } = await openSite(t, { DEMOS: `static,${other.name}` })
  const page = await visit({ errorStatuses: [404] })
  await page.goto('/profile.html')
  await page.getByText('The demo that receives this form is not open.').waitFor()
  assert.equal(await page.locator('main form, main a').count(), 0)
  await page.goto(other.form)
  await page.locator('nav a[aria-current=page]', { hasText: other.title }).waitFor()
  assert.equal(await page.locator('main form').count(), 1)
})

test('a file can be dropped on the form, on a local network too', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  const page = await visit({ hostname: localName })
  await page.goto('/profile.html')
  const dataTransfer = await page.evaluateHandle(`{
    const dropped = new DataTransfer()
    dropped.items.add(new File(['glass'], 'dropped.txt', { type: 'text/plain' }))
    dropped
  }`)
  await page.locator('.upload form').dispatchEvent('drop', { dataTransfer })
  await page.getByText('dropped.txt: 5 bytes').waitFor()
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByText('Uploaded dropped.txt.').waitFor()
  assert.equal((await listUploads(app)).length, 1)
})

test('a file that is too large is not sent, and another can follow', inBrowser, async (t) => {
  const { visit } = await openSite(t, { MAX_UPLOAD_BYTES: '1000' })
  const page = await visit()
  let sent = 0
  page.on('request', (request) => (sent += Number(request.method() === 'POST')))
  await page.goto('/profile.html')
  await page.getByText('It can have up to 1000 bytes.').waitFor()
  await page.getByLabel('File').setInputFiles(file)
  const message = page.getByText('The file has 293 KiB, and the limit is 1000 bytes.')
  await message.waitFor()
  await page.getByRole('button', { name: 'Upload' }).click()
  await message.waitFor()
  assert.equal(sent, 0)
  await page.getByLabel('File').setInputFiles({ ...file, buffer: buffer.subarray(0, 1000) })
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByText('Uploaded glass.txt.').waitFor()
})

test('after an error the same file can be sent again', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  const page = await visit({ errorStatuses: [503] })
  await page.goto('/profile.html')
  await page.getByLabel('File').setInputFiles(file)
  await page.route('**/profile', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByText('The server responded with 503.').waitFor()
  await page.getByLabel('File').setInputFiles([])
  await page.getByText('glass.txt: 293 KiB, text/plain').waitFor()
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByText('Uploaded glass.txt.').waitFor()
  assert.equal((await listUploads(app)).length, 1)
})

test('an upload without JavaScript gets a page', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ javaScriptEnabled: false })
  await page.goto('/profile.html')
  await page.getByLabel('File').setInputFiles(file)
  await page.getByRole('button', { name: 'Upload' }).click()
  await waitForHeading(page, 'Uploaded')
  await page.getByText(sha256).waitFor()
})

test('the page after an upload has no defect', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  const flaws = await findFlawsOfState(page, async () => {
    await page.goto('/profile.html')
    await page.getByLabel('File').setInputFiles(file)
    await page.evaluate('document.querySelector(".upload form").submit()')
    await waitForHeading(page, 'Uploaded')
  })
  assert.deepEqual(flaws, [])
})
