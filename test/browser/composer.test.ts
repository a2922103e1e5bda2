import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from './chromium.ts'
import { sendButton, toHash, watchRequests } from './composer.ts'
import { findFlawsOfState } from './look.ts'
import { openSite } from './site.ts'
import { until } from '../support/until.ts'

for (const target of ['//example.org/', 'http://[', '/mirror/query?']) {
  const isSent = target.startsWith('/mirror')
  test(`the history ${isSent ? 'has' : 'does not have'} ${target}`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto('/')
    await page.getByLabel('Path').fill(target)
    await sendButton(page).click()
    const outcome = isSent ? /^Response: 200/ : /^There is no response/
    await page.locator('.result').getByRole('status').getByText(outcome).waitFor()
    await page.getByText('History').click()
    await page.locator('[data-part=history] li').first().waitFor()
    assert.equal(await page.locator('[data-part=history] button').count(), Number(isSent))
    assert.equal(new URL(page.url()).hash !== '', isSent)
  })
}

test('a header that a page cannot set is in the curl command only', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  const open = async () => {
    await page.goto('/')
    await page.locator('.more summary').getByText('Headers').click()
    await page.locator('.more summary').getByText('curl').click()
    for (const [name, value] of [
      ['Cookie', 'a=b'],
      ['X-Own', '1'],
    ] as const) {
      await page.getByLabel('Header', { exact: true }).last().fill(name)
      await page.getByLabel('Value', { exact: true }).nth(-2).fill(value)
    }
  }
  assert.deepEqual(await findFlawsOfState(page, open), [])
  await page.getByText('A page cannot set Cookie').waitFor()
  await page.locator('.more code').getByText("-H 'Cookie: a=b' -H 'X-Own: 1'").waitFor()
  const sent = page.waitForRequest((request) => request.headers()['x-own'] === '1')
  await sendButton(page).click()
  assert.equal((await (await sent).allHeaders())['cookie'], undefined)
})

test('the history has the latest 20 requests, and fills the form', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/')
  for (let count = 1; count <= 22; count += 1) {
    await page.getByLabel('Path').fill(`/mirror/query?a=${String(count)}`)
    await sendButton(page).click()
    await page
      .locator('.result .line')
      .last()
      .getByText(`a=${String(count)}`, { exact: false })
      .waitFor()
  }
  await page.reload()
  await page.locator('.more summary').getByText('History').click()
  const items = page.locator('[data-part=history] button')
  await items.nth(19).waitFor()
  assert.equal(await items.count(), 20)
  await items.last().click()
  assert.equal(await page.getByLabel('Path').inputValue(), '/mirror/query?a=3')
})

for (const [url, accept] of [
  ['/', '*/*'],
  ['/', 'text/html'],
  ['/docs/getLocations', 'application/json'],
  ['/demos/topic', '*/*'],
  ['/learn/methods', 'application/json'],
  ['/responses', 'application/json'],
] as const) {
  test(`a typo on ${url} with ${accept} offers the nearest path`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ errorStatuses: [404] })
    await page.goto(url)
    const composer = page.locator('.composer').first()
    await composer.getByLabel('Accept').selectOption(accept)
    await composer.getByLabel('Path').fill('/lcations?a=b')
    await composer.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Use /locations' }).click()
    assert.equal(await composer.getByLabel('Path').inputValue(), '/locations?a=b')
  })
}

/** A request for each kind of page, and the fields that it fills beside the path. */
const kinds: readonly [page: string, request: object, fields: Readonly<Record<string, string>>][] =
  [
    [
      '/docs/patchLocationsId',
      { method: 'PATCH', target: '/locations/a%20b?x=1' },
      { 'id path': 'a b' },
    ],
    [
      '/docs/getLocations',
      { method: 'GET', target: '/locations?per_page=2' },
      { 'per_page query': '2' },
    ],
    ['/demos/status', { method: 'GET', target: '/status/418' }, { code: '418' }],
    ['/demos/topic', { method: 'GET', target: '/topic?a=b+c' }, { a: 'b c' }],
    [
      '/demos/bodies',
      {
        method: 'POST',
        target: '/users/post',
        type: 'application/x-www-form-urlencoded',
        body: 'glass%5Bcolor%5D=red',
      },
      { 'glass[color]': 'red' },
    ],
    [
      '/learn/forms-and-bodies',
      { method: 'POST', target: '/users/post', type: 'application/json', body: '{"color":"red"}' },
      { color: 'red' },
    ],
    [
      '/responses',
      { method: 'GET', target: '/responses/custom?status=404&delay=1' },
      { Status: '404', 'Delay seconds': '1' },
    ],
  ]

for (const [path, request, fields] of kinds) {
  test(`a link fills the fields of ${path}, and they fill the path`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto(path)
    await page.waitForLoadState('networkidle')
    const sent = watchRequests(page)
    await page.evaluate(`location.hash = ${JSON.stringify(toHash(request).slice(1))}`)
    const open = async () => {
      for (const [name, value] of Object.entries(fields)) {
        const field = page.getByLabel(name, { exact: true }).and(page.locator('input')).first()
        const isFilled = `Array.from(document.querySelectorAll('.values input'), ({ value }) => value).includes(${JSON.stringify(value)})`
        await until(() => page.evaluate<boolean>(isFilled))
        assert.equal(await field.inputValue(), value)
      }
    }
    await open()
    const composers = await page.locator('.composer').evaluateAll((all) => all.length)
    const targets = await page.evaluate<string[]>(
      'Array.from(document.querySelectorAll("[data-in=target]"), ({ value }) => value)',
    )
    const { target, body = '' } = { target: '', ...request } as { target: string; body?: string }
    assert.equal(targets.length, composers)
    assert.ok(targets.includes(target), targets.join())
    assert.deepEqual(sent, [])
    const name = Object.keys(fields)[0] ?? ''
    const field = page.getByLabel(name, { exact: true }).and(page.locator('input')).first()
    await field.fill('7')
    const values = await page.evaluate<string[]>(
      'Array.from(document.querySelectorAll("[data-in=target], [data-in=body]"), ({ value }) => value)',
    )
    assert.ok(
      values.some((value) => /\b7\b/.test(value)),
      values.join(),
    )
    assert.ok(body === '' || !values.includes(body))
  })
}

test('a file is sent from an operation, and another type as text', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/docs/postProfile')
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('glass') }
  await page.locator('input[type=file]').first().setInputFiles(file)
  const sent = page.waitForRequest(/\/profile$/)
  await sendButton(page).click()
  assert.match(String((await sent).headers()['content-type']), /^multipart\/form-data; boundary=/)
  await page
    .getByRole('status')
    .getByText(/^Response: 20\d/)
    .waitFor()
  await page.getByText('A form with files is not in the link and the history.').waitFor()
})

for (const [path, name] of [
  ['/docs/getLocationsId', 'id path'],
  ['/demos/status', 'code'],
] as const) {
  test(`${path} needs a value of ${name}, and another path does not`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto(path)
    await page.waitForLoadState('networkidle')
    const sent = watchRequests(page)
    await page.getByLabel(name, { exact: true }).fill('')
    await sendButton(page).first().click()
    assert.equal(await page.locator('.composer :invalid').count(), 1)
    assert.deepEqual(sent, [])
    await page.getByLabel('Path').first().fill('/mirror/query')
    await sendButton(page).first().click()
    await page.getByRole('status').getByText('Response: 200').waitFor()
  })
}
