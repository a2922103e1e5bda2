import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from './chromium.ts'
import { findFlawsOfState } from './look.ts'
import { openSite } from './site.ts'

const readRows = (page: Page) =>
  page.evaluate<string[]>(
    'Array.from(document.querySelectorAll("[data-part=headers] input"), ({ value }) => value)',
  )

const sendButton = (page: Page) => page.locator('.composer').getByRole('button', { name: 'Send' })

async function paste(page: Page, command: string): Promise<void> {
  await page.getByLabel('Path').focus()
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', ${JSON.stringify(command)})
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(event)
  }`)
}

/** The requests of a page, without those for its parts. */
function watchRequests(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!/^\/(assets\/.*|inspector.*|)$/.test(pathname))
      sent.push(`${request.method()} ${pathname}`)
  })
  return sent
}

const toHash = (request: unknown) => `/#${encodeURIComponent(JSON.stringify(request))}`

const shared = { method: 'POST', target: '/users', headers: [['X-A', '1']] }
const body = { type: 'application/json', body: '{"name":"Ann"}' }

test('a link with a request fills the form, and never sends it', inBrowser, async (t) => {
  const { app, visit } = await openSite(t)
  const page = await visit()
  const sent = watchRequests(page)
  const secret = ['Authorization', 'Bearer c0ffee']
  await page.goto(toHash({ ...shared, ...body, headers: [...shared.headers, secret] }))
  await page.waitForLoadState('networkidle')
  assert.equal(await page.getByLabel('Method').inputValue(), 'POST')
  assert.equal(await page.getByLabel('Path').inputValue(), '/users')
  assert.equal(await page.getByRole('textbox', { name: 'Body' }).inputValue(), body.body)
  assert.deepEqual(await readRows(page), ['X-A', '1', '', ''])
  for (const chip of await page.locator('.chips a').all()) await chip.click()
  await page.evaluate(
    `location.hash = ${JSON.stringify(toHash({ ...shared, target: '/locations' }).slice(1))}`,
  )
  await page.waitForFunction('document.querySelector("#target").value === "/locations"')
  await page.waitForLoadState('networkidle')
  assert.deepEqual(sent, [])
  const accept = 'application/json'
  assert.equal((await app.inject({ url: '/users', headers: { accept } })).body, '[]')
})

for (const hash of [
  '#%',
  '#[]',
  '#{}',
  '#1',
  '#null',
  '#"a"',
  '#{"method":1,"target":"/"}',
  '#demos',
]) {
  test(`the fragment ${hash} is ignored`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto(`/${hash}`)
    await page.waitForLoadState('networkidle')
    const path = await page.getByLabel('Path').inputValue()
    await page.goto('/mirror/query?a=b')
    await page.goto('/')
    assert.equal(await page.getByLabel('Path').inputValue(), path)
  })
}

test('Authorization is neither in the fragment nor in the history', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ errorStatuses: [401] })
  await page.goto('/')
  await paste(
    page,
    "curl -u ann:c0ffee 'http://127.0.0.1/httpbin/basic-auth/ann/c0ffee2' -H 'X-Token: c0ffee'",
  )
  const sent = page.waitForRequest(/basic-auth/)
  await sendButton(page).click()
  assert.equal((await sent).headers()['authorization'], 'Basic YW5uOmMwZmZlZQ==')
  await page.locator('.result .exchange').first().waitFor()
  const stored = `${page.url()} ${await page.evaluate<string>('JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')}`
  assert.match(stored, /basic-auth/)
  assert.doesNotMatch(stored, /authorization|YW5u|x-token/i)
})

const commands: readonly [
  command: string,
  method: string,
  target: string,
  rows: readonly string[],
][] = [
  ['curl http://127.0.0.1:3000/users', 'GET', '/users', []],
  ["curl -i -X PUT '/a b' -H 'X-A: 1'", 'PUT', '/a%20b', ['X-A', '1']],
  ["curl \\\n  --request=PATCH \\\n  http://h/x?y=1 -d 'a=b'", 'PATCH', '/x?y=1', []],
  [`curl --json '{"a":"it'\\''s"}' h.example/x`, 'POST', '/x', []],
  ['curl -I /users', 'HEAD', '/users', []],
  ['curl.exe -XDELETE -H "X-B: \\"2\\"" /users', 'DELETE', '/users', ['X-B', '"2"']],
]

for (const [command, method, target, rows] of commands) {
  test(`the command ${JSON.stringify(command)} fills the form`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto('/')
    await paste(page, command)
    assert.equal(await page.getByLabel('Method').inputValue(), method)
    assert.equal(await page.getByLabel('Path').inputValue(), target)
    assert.deepEqual(await readRows(page), [...rows, '', ''])
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
  assert.equal(await items.count(), 20)
  await items.last().click()
  assert.equal(await page.getByLabel('Path').inputValue(), '/mirror/query?a=3')
})

test('a typo in the path offers the nearest path', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ errorStatuses: [404] })
  await page.goto('/')
  await page.getByLabel('Path').fill('/lcations')
  await sendButton(page).click()
  await page.getByRole('button', { name: 'Use /locations' }).click()
  assert.equal(await page.getByLabel('Path').inputValue(), '/locations')
})

for (const path of ['/docs/postLocations', '/demos/topic', '/learn/methods']) {
  test(`a request of ${path} is edited in the composer`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto(path)
    await page.getByRole('link', { name: 'Edit in the composer' }).first().click()
    await page.waitForURL(/\/#/)
    assert.match(await page.getByLabel('Path').inputValue(), /^\/(locations|mirror|topic)/)
    assert.equal(await page.locator('.result .exchange').count(), 0)
  })
}
