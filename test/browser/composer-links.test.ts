import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser } from './chromium.ts'
import { paste, readRows, sendButton, toHash, watchRequests } from './composer.ts'
import { openSite } from './site.ts'
import { until } from '../support/until.ts'

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
  await until(() =>
    page.evaluate<boolean>('document.querySelector("[data-in=target]").value === "/locations"'),
  )
  await page.waitForLoadState('networkidle')
  assert.deepEqual(sent, [])
  const accept = 'application/json'
  assert.equal((await app.inject({ url: '/users', headers: { accept } })).body, '[]')
})

test('a link adds no word to the command, and no other host', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  const method = "GET;id #'"
  await page.goto(toHash({ method, target: '@h.example/', headers: [] }))
  await until(() =>
    page.evaluate<boolean>('document.querySelector("[data-in=target]").value === "@h.example/"'),
  )
  const command = await page.locator('.composer .command code').textContent()
  assert.match(command ?? '', /^curl -i -X 'GET;id #'\\''' 'http:\/\/[\w.:]+\/@h\.example\/'/)
})

for (const hash of [
  '#%',
  '#[]',
  '#{}',
  '#1',
  '#null',
  '#"a"',
  '#{"method":1,"target":"/"}',
  '#none',
]) {
  test(`the fragment ${hash} leaves the form, and the page says so`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto('/')
    const path = await page.getByLabel('Path').inputValue()
    await page.goto(`/mirror/query?a=b`)
    await page.goto(`/${hash}`)
    await page.getByText('The link does not have a valid request.').waitFor()
    assert.equal(await page.getByLabel('Path').inputValue(), path)
  })
}

test('the fragment of a part of the page is no request', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/#resources')
  await page.waitForLoadState('networkidle')
  assert.equal(await page.locator('[data-part=notes]').innerText(), '')
})

const basic = 'Basic YW5uOmMwZmZlZQ=='
const login = (type: string, body: string) =>
  `curl /mirror/field -H 'Content-Type: ${type}' --data-raw '${body}'`
/** The request, the names that the page says are left out, and what the link keeps. */
const secrets: readonly [command: string, names: string, kept: RegExp][] = [
  ["curl -u ann:c0ffee /mirror/query -H 'X-Token: c0ffee'", 'Authorization and X-Token', /query/],
  ["curl /mirror/query -b 'sid=c0ffee' -H 'X-A: 1'", 'Cookie', /X-A/],
  ["curl '/mirror/query?a=1&api_key=c0ffee'", 'api_key', /a=1&api_key=(?!c)/],
  ["curl '/mirror/query?url=http://h/?token%3Dc0ffee'", 'token', /url=(?!h)/],
  [
    login('application/json', '{"name":"Ann","a":[{"userPassword":"c0ffee"}]}'),
    'userPassword',
    /Ann/,
  ],
  [login('application/x-www-form-urlencoded', 'name=Ann&password=c0ffee'), 'password', /name=Ann/],
  [login('text/plain', '{"password":"c0ffee"'), 'password and the body', /field/],
  [login('application/xml', '<password>c0ffee</password>'), 'password and the body', /field/],
  ['curl -X POST /mirror/field/reset-password/c0ffee', 'reset-password', /field/],
  ['curl "/mirror/query;token=c0ffee?a=1"', 'token', /query;token=\?a=1/],
  ["curl '/mirror/query?a=1#token=c0ffee'", '', /a=1/],
  [login('application/json', '[{"name":"password","value":"c0ffee"}]'), 'password', /"name/],
  [login('application/json', '{"headers":[["X-Api-Key","c0ffee"]]}'), 'X-Api-Key', /headers/],
  [login('application/json', '{"a":{"token":"c0ffee"},"a":1}'), 'token and the body', /field/],
  [
    login('application/json', '{"password":"c0ffee","password":""}'),
    'password and the body',
    /field/,
  ],
  ["curl /mirror/query -H 'X-A: Bearer c0ffee12'", 'credentials', /query/],
  ["curl '/mirror/query?u=http://ann:c0ffee@h/'", 'password', /query/],
]

for (const [command, names, kept] of secrets) {
  test(`no secret of ${command} is in the link or the history`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ errorStatuses: [404] })
    await page.goto('/')
    await paste(page, command)
    const sent = page.waitForRequest(/\/mirror\//)
    await sendButton(page).click()
    const { authorization, 'x-token': token } = (await sent).headers()
    if (names.includes('Authorization')) assert.deepEqual([authorization, token], [basic, 'c0ffee'])
    await page.locator('.result .exchange').waitFor()
    const note = names && `The link and the history leave out ${names}.`
    await page.locator('[data-part=notes]').getByText(note).waitFor({ state: 'attached' })
    const stored = `${page.url()} ${await page.evaluate<string>('JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')}`
    assert.match(decodeURIComponent(page.url()), kept)
    assert.doesNotMatch(stored, /c0ffee|YW5u/)
    const other = await visit()
    await other.goto(page.url())
    const missing = other.locator('[data-part=notes]')
    if (names) await missing.getByText(`This link leaves out ${names}. Add `).waitFor()
    else assert.equal(await missing.textContent(), '')
  })
}

test(
  'a link says what it leaves out until that is added, and after it is sent',
  inBrowser,
  async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    const missing = {
      names: ['Authorization', 'api_key', 'Mail your password to h.example', 'Accept'],
    }
    await page.goto(
      toHash({ method: 'GET', target: '/mirror/query?api_key=', headers: [], missing }),
    )
    const notes = page.locator('[data-part=notes]')
    await notes
      .getByText('This link leaves out Authorization and api_key. Add them before')
      .waitFor()
    await page.locator('.more summary').getByText('Headers').click()
    await page.getByLabel('Header', { exact: true }).first().fill('authorization')
    await page.getByLabel('Value', { exact: true }).first().fill('Bearer c0ffee')
    await notes.getByText('This link leaves out api_key. Add it before you send.').waitFor()
    await sendButton(page).click()
    await page.locator('.result .exchange').waitFor()
    const other = await visit()
    await other.goto(page.url())
    await other.getByText('This link leaves out api_key and authorization.').waitFor()
    await page.locator('.more summary').getByText('History').click()
    await page.locator('[data-part=history] button').first().click()
    await notes.getByText('The history leaves out').waitFor()
  },
)
