import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { dataFile } from '../support/data-app.ts'
import { kinds } from '../support/form-kinds.ts'
import { createRecord, readNames, readRecord } from '../support/resources.ts'
import { inBrowser } from './chromium.ts'
import { openSite, type Site } from './site.ts'
import { openPanel, submit, waitForHeading } from './steps.ts'

/** Opens the same edit form in two tabs and saves the one; the other is given, saved in vain. */
async function collide({ visit }: Site, url: string, javaScriptEnabled: boolean): Promise<Page> {
  const first = await visit({ javaScriptEnabled, errorStatuses: [412] })
  const second = await first.context().newPage()
  for (const tab of [first, second]) await tab.goto(`${url}/edit`)
  await submit(first, { Name: 'Roma' }, 'Save')
  await waitForHeading(first, 'Roma')
  await submit(second, { Name: 'Rom' }, 'Save')
  await waitForHeading(second, 'This location has changed since you opened it')
  return second
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? '' : ' without JavaScript'

  test(`a stale edit shows the versions, and either can be chosen${how}`, inBrowser, async (t) => {
    const site = await openSite(t)
    for (const [choice, name] of [
      ['Rom', 'Rom'],
      ['Roma', 'Roma'],
      ['Keep the current version', 'Roma'],
    ] as const) {
      const { _id } = await createRecord(site.app, '/locations', { name: 'Rome' })
      const url = `/locations/${_id}`
      const page = await collide(site, url, javaScriptEnabled)
      const versions = page.getByRole('table')
      await versions.getByText('Rome', { exact: true }).waitFor()
      if (choice.startsWith('Rom')) {
        await page.getByRole('radio', { name: choice, exact: true }).check()
        await page.getByRole('button', { name: 'Save the merged version' }).click()
      } else await page.getByText(choice).click()
      await waitForHeading(page, name)
      assert.equal((await readRecord(site.app, url)).name, name)
    }
  })

  test(
    `a stale edit is merged with the changes of others, by field${how}`,
    inBrowser,
    async (t) => {
      const { app, visit } = await openSite(t)
      const fields = { name: 'Rome', latitude: 41.9, longitude: 12.5, note: 'one\ntwo' }
      const url = `/locations/${(await createRecord(app, '/locations', fields))._id}`
      const page = await visit({ javaScriptEnabled, errorStatuses: [412, 422] })
      const requests: string[] = []
      page.on('request', (request) => {
        if (!['GET', 'HEAD'].includes(request.method())) requests.push(request.method())
      })
      await page.goto(`${url}/edit`)
      await app.inject({ method: 'PATCH', url, payload: { latitude: 42, note: 'theirs' } })
      await submit(page, { Name: 'Roma', Latitude: '43' }, 'Save')
      await page.getByText('This location has changed since you opened it').waitFor()
      assert.deepEqual(requests, [javaScriptEnabled ? 'PATCH' : 'POST'])
      assert.equal(await page.getByRole('radio').count(), 2)
      await page.getByRole('row', { name: 'Note the new value stays' }).waitFor()
      await page.getByRole('radio', { name: '43' }).check()
      await page.getByRole('button', { name: 'Save the merged version' }).click()
      await waitForHeading(page, 'Roma')
      const { name, latitude, longitude, note } = await readRecord(app, url)
      assert.deepEqual([name, latitude, longitude, note], ['Roma', 43, 12.5, 'theirs'])
    },
  )

  test(
    `a stale edit keeps what it did not change as others changed it${how}`,
    inBrowser,
    async (t) => {
      const { app, visit } = await openSite(t)
      const fields = { name: 'Rome', latitude: 41.9, longitude: 12.5, note: 'one\ntwo' }
      const url = `/locations/${(await createRecord(app, '/locations', fields))._id}`
      const page = await visit({ javaScriptEnabled, errorStatuses: [412, 422] })
      await page.goto(`${url}/edit`)
      await app.inject({ method: 'PATCH', url, payload: { latitude: 42, note: 'theirs' } })
      await submit(page, { Name: 'Roma' }, 'Save')
      await page.getByText('Edit my version before saving it').click()
      // Saved with an error first: what was typed before it is still a change.
      await submit(page, { Longitude: '' }, 'Save')
      await submit(page, { Longitude: '13' }, 'Save')
      await waitForHeading(page, 'Roma')
      const { name, latitude, longitude, note } = await readRecord(app, url)
      assert.deepEqual([name, latitude, longitude, note], ['Roma', 42, 13, 'theirs'])
    },
  )

  test(`an error is shown at its field, and the typed values stay${how}`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ javaScriptEnabled, errorStatuses: [422] })
    await page.goto('/locations/new')
    await submit(page, { Name: 'Rome', Latitude: '41.9' }, 'Create location')
    const longitude = page.getByRole('spinbutton', { name: 'Longitude' })
    await page.locator('#longitude[aria-invalid=true]').waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Rome')
    assert.equal(await page.getByLabel('Latitude').inputValue(), '41.9')
    await page.getByRole('link', { name: 'Longitude is required' }).click()
    await page.keyboard.type('12.5')
    assert.equal(await longitude.inputValue(), '12.5')
    await page.keyboard.press('Enter')
    await waitForHeading(page, 'Rome')
  })

  test(`a form that is sent twice creates one record${how}`, inBrowser, async (t) => {
    const { app, visit } = await openSite(t)
    const page = await visit({ javaScriptEnabled })
    await page.goto('/users/new')
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Create user' }).dblclick()
    await waitForHeading(page, 'Ann')
    const list = await app.inject({ url: '/users', headers: { accept: 'application/json' } })
    assert.equal(list.json<unknown[]>().length, 1)
  })

  test(`a created record is created once after reload and Back${how}`, inBrowser, async (t) => {
    const { app, visit } = await openSite(t)
    const page = await visit({ javaScriptEnabled })
    await page.goto('/locations/new')
    await submit(page, { Name: 'Rome' }, 'Create location')
    const own = page.getByRole('status').getByRole('link')
    const pathname = await own.getAttribute('href')
    // The script of the page sets this URL, after the page can be seen.
    if (javaScriptEnabled) await page.waitForURL((url) => url.pathname === pathname)
    await page.reload()
    await waitForHeading(page, 'Rome')
    await page.goBack()
    await waitForHeading(page, 'New location')
    await submit(page, { Name: 'Rome' }, 'Create location')
    await waitForHeading(page, 'Rome')
    await own.click()
    await waitForHeading(page, 'Rome')
    assert.equal(new URL(page.url()).pathname, pathname)
    assert.equal(await readNames(app, '/locations'), 'Rome')
  })
}

test(
  'the script of an edit form sends only what was changed, in every kind of field',
  inBrowser,
  async (t) => {
    const { properties, stored } = kinds
    const DATA_FILE = await dataFile(t, { things: [{ id: 1, ...stored }] })
    const DATA_SCHEMA = await dataFile(
      t,
      { things: { properties, required: ['sure'] } },
      'schema.json',
    )
    const { visit } = await openSite(t, { DATA_FILE, DATA_SCHEMA })
    const page = await visit()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'PATCH') return
      const fields = new URLSearchParams(request.postData() ?? '')
      // The other fields are what the form showed, for a conflict.
      for (const name of [...fields.keys()]) if (name.startsWith('_was.')) fields.delete(name)
      sent.push(fields.toString())
    })
    const save = async (edit: () => Promise<unknown>) => {
      await page.goto('/things/1/edit')
      await edit()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.', { exact: true }).waitFor()
    }
    await save(() => Promise.resolve())
    await save(() => page.getByLabel('sure').check())
    await save(() => page.getByLabel('sure').uncheck())
    await save(() => page.getByLabel('colour').selectOption('green'))
    await save(() => page.getByLabel('at').fill('2027-01-01T08:30'))
    await save(() => page.getByLabel('lines').fill('a\nc'))
    assert.deepEqual(sent, [
      '',
      'sure%5B0%5D=false&sure=true',
      'sure%5B0%5D=false',
      'colour=green',
      'at=2027-01-01T08%3A30',
      'lines=a%0Ac',
    ])
  },
)

const ends = [
  ['PATCH', '412', 'This location has changed since you opened it', { Name: 'Mine' }],
  ['PATCH', '422', 'Edit Rome', { Name: 'Mine', Latitude: '91' }],
  ['DELETE', '404', 'New location', { Name: 'Mine' }],
] as const

for (const [method, status, heading, typed] of ends) {
  test(
    `after ${status} in place, the panel shows the PATCH that explains it`,
    inBrowser,
    async (t) => {
      const { app, visit } = await openSite(t)
      const fields = { name: 'Rome', latitude: 41.9, longitude: 12.5 }
      const url = `/locations/${(await createRecord(app, '/locations', fields))._id}`
      const page = await visit({ errorStatuses: [404, 412, 422] })
      await page.goto(`${url}/edit`)
      // It was open before, with the exchange of the form.
      assert.match((await (await openPanel(page)).textContent()) ?? '', /GET.*200/s)
      if (status !== '422') await app.inject({ method, url, payload: { name: 'Theirs' } })
      await page.evaluate('document.querySelector("main form[method=post]").noValidate = true')
      await submit(page, typed, 'Save')
      await waitForHeading(page, heading)
      const shown = page.locator('details.inspector [data-exchange] .line', { hasText: 'PATCH' })
      await shown.first().waitFor()
      assert.match((await shown.first().textContent()) ?? '', new RegExp(status))
      const pills = page.locator('details.inspector > summary .status')
      assert.deepEqual(await pills.allTextContents(), [status])
      if (status !== '404') return
      assert.equal(await page.getByLabel('Name').inputValue(), 'Mine')
      await page.getByRole('button', { name: 'Create location' }).click()
      await waitForHeading(page, 'Mine')
      const { name, latitude } = await readRecord(app, new URL(page.url()).pathname)
      assert.deepEqual([name, latitude], ['Mine', 41.9])
    },
  )
}

test(
  'another location is added from the same form, which has the URL of a new one',
  inBrowser,
  async (t) => {
    const { app, visit } = await openSite(t)
    const page = await visit()
    await page.goto('/locations/new')
    for (const name of ['Rome', 'Oslo']) {
      await submit(page, { Name: name }, 'Save and add another')
      await page.getByText('Location created.').waitFor()
      await page.waitForURL((url) => url.pathname + url.search === '/locations/new')
      assert.equal(await page.getByLabel('Name').inputValue(), '')
    }
    await page.reload()
    await waitForHeading(page, 'New location')
    assert.equal(await readNames(app, '/locations'), 'Rome Oslo')
  },
)
