import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser } from './chromium.ts'
import { findFlawsOfState } from './look.ts'
import { openSite } from './site.ts'
import { until } from '../support/until.ts'

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
  ["curl -u ann:c0ffee /mirror/query -H 'X-Token: c0ffee'", 'Authorization, X-Token', /query/],
  ["curl /mirror/query -b 'sid=c0ffee' -H 'X-A: 1'", 'Cookie', /X-A/],
  ["curl '/mirror/query?a=1&api_key=c0ffee'", 'api_key', /a=1&api_key=(?!c)/],
  ["curl '/mirror/query?url=http://h/?token%3Dc0ffee'", 'token', /url=(?!h)/],
  [
    login('application/json', '{"name":"Ann","a":[{"userPassword":"c0ffee"}]}'),
    'userPassword',
    /Ann/,
  ],
  [login('application/x-www-form-urlencoded', 'name=Ann&password=c0ffee'), 'password', /name=Ann/],
  [login('text/plain', '{"password":"c0ffee"'), 'password', /field/],
  [login('application/xml', '<password>c0ffee</password>'), 'password', /field/],
]

for (const [command, names, kept] of secrets) {
  test(`no secret of ${command} is in the link or the history`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto('/')
    await paste(page, command)
    const sent = page.waitForRequest(/\/mirror\//)
    await sendButton(page).click()
    const { authorization, 'x-token': token } = (await sent).headers()
    if (names.includes('Authorization')) assert.deepEqual([authorization, token], [basic, 'c0ffee'])
    await page.getByText(`The link and the history leave out ${names}.`).waitFor()
    const stored = `${page.url()} ${await page.evaluate<string>('JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')}`
    assert.match(decodeURIComponent(page.url()), kept)
    assert.doesNotMatch(stored, /c0ffee|YW5u/)
  })
}

for (const [command, target, note] of [
  [
    'curl https://example.com/foo --proxy x -k',
    '/foo',
    'The request is sent to this service, not to example.com. --proxy and -k are left out.',
  ],
  ['curl --insecure -sSLi /a', '/a', '--insecure is left out.'],
  ['curl -F a=b -xh:1 /a /b', '/a', '-F, -x, and /b are left out.'],
  ['curl /a -d @file.json --data-raw @b', '/a', '-d @file.json is left out.'],
  ['curl file:///a', '/a', 'The request is sent to this service, not to file:///a.'],
  ['curl --compressed /a', '/a', ''],
] as const) {
  for (const isPasted of [true, false]) {
    const how = isPasted ? 'pasted' : 'filled in'
    test(`${command}, ${how}, is sent as the page says`, inBrowser, async (t) => {
      const { visit } = await openSite(t)
      const page = await visit()
      await page.goto('/')
      if (isPasted) await paste(page, command)
      else await page.getByLabel('Path').fill(command)
      assert.equal(await page.getByLabel('Path').inputValue(), target)
      const notes = page.locator('[data-part=notes]')
      assert.equal(await notes.textContent(), note)
      await page.getByLabel('Path').fill('/users')
      assert.equal(await notes.textContent(), '')
    })
  }
}

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
  ["curl -X LINK /users -H '-sX: 1'", 'LINK', '/users', ['-sX', '1']],
  ['curl.exe -XDELETE -H "X-B: \\"2\\"" /users', 'DELETE', '/users', ['X-B', '"2"']],
  ['curl -sSiXPUT -m 5 -o file /users/a', 'PUT', '/users/a', []],
  ["curl -G /topic -d a=b --data-urlencode 'c=d e'", 'GET', '/topic?a=b&c=d%20e', []],
  ["curl /users --data-raw $'it\\'s \\u0041' --compressed", 'POST', '/users', []],
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

const ways: readonly [how: string, (page: Page, command: string) => Promise<unknown>][] = [
  ['is pasted', paste],
  ['is set', (page, command) => page.getByLabel('Path').fill(command)],
  [
    'is typed',
    async (page, command) => {
      await page.getByLabel('Path').fill('')
      await page.getByLabel('Path').pressSequentially(command)
      await page.keyboard.press('Tab')
    },
  ],
  [
    'is typed and sent',
    async (page, command) => {
      await page.getByLabel('Path').fill('')
      await page.getByLabel('Path').pressSequentially(command)
      const sent = page.waitForRequest(/mirror/)
      await page.keyboard.press('Enter')
      assert.equal((await sent).headers()['x-a'], '1')
    },
  ],
]

for (const [how, enter] of ways) {
  test(`a command that ${how} fills the form`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit({ errorStatuses: [405] })
    await page.goto('/')
    await enter(page, "curl -X PUT http://h/mirror/field -H 'X-A: 1'")
    assert.equal(await page.getByLabel('Path').inputValue(), '/mirror/field')
    assert.equal(await page.getByLabel('Method').inputValue(), 'PUT')
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
