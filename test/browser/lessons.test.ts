import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, localName } from './chromium.ts'
import { openSite } from './site.ts'

/** The status codes of the responses, in the order of the requests; empty if there is none. */
const lessons: Readonly<Record<string, readonly string[]>> = {
  methods: ['200', '201', '200'],
  'forms-and-bodies': ['200', '200', '200', '200'],
  'status-codes': ['302 200', '404', '503'],
  'content-negotiation': ['200', '200', '406'],
  caching: ['200', '304', '200'],
  'concurrent-edits': ['201', '200', '412'],
  sessions: ['201', '200', '200'],
  'cross-site-requests': ['200', '403', ''],
}
const errorStatuses = [403, 404, 406, 412, 503]
/** Over HTTP from another machine, scripts have fewer functions. */
const rows = [...Object.keys(lessons), `status-codes of ${localName}`]

for (const row of rows) {
  test(`the requests of ${row} can be sent, twice`, inBrowser, async (t) => {
    const [slug = '', hostname] = row.split(' of ')
    const expected = lessons[slug] ?? []
    const { app, visit } = await openSite(t)
    // The lesson shows how a browser blocks a request, and the browser reports that.
    const page = await visit({
      errorStatuses,
      expectsBlocked: slug === 'cross-site-requests',
      ...(hostname && { hostname: localName }),
    })
    await page.goto(`/learn/${slug}`)
    for (const round of [1, 2]) {
      for (const [index, status] of expected.entries()) {
        const step = page.locator('.step').nth(index)
        const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') }
        for (const input of await step.locator('[type=file]').all()) await input.setInputFiles(file)
        await step.getByText('Send', { exact: true }).click()
        await step.locator('.result > [aria-busy=false]').waitFor({ state: 'attached' })
        const lines = step.locator('.result .line .status')
        const shown = await lines.allTextContents()
        assert.equal(shown.map((text) => text.split(' ')[0]).join(' '), status, String(round))
      }
    }
    const { headers } = await app.inject('/locations?per_page=1')
    const created = slug === 'concurrent-edits' ? 2 : 0
    assert.equal(Number(headers['x-total-count']), created)
  })
}

test('without JavaScript a form or a link sends the request of a lesson', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit({ javaScriptEnabled: false, errorStatuses: [404] })
  await page.goto('/learn/methods')
  await page.getByRole('button', { name: 'Send' }).nth(1).click()
  await page.getByRole('heading', { level: 1, name: 'Pier' }).waitFor()
  await page.goto('/learn/status-codes')
  await page.getByRole('button', { name: 'Send' }).nth(1).click()
  await page.waitForURL(/\/status\/404\??$/)
  await page.goto('/learn/content-negotiation')
  assert.equal(await page.getByText('Send', { exact: true }).filter({ visible: true }).count(), 0)
  await page.getByRole('link', { name: '/locations.csv' }).click()
})

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without'
  test(
    `${how} JavaScript two visitors of a lesson have records of their own`,
    inBrowser,
    async (t) => {
      const { app, visit } = await openSite(t)
      const pages = await Promise.all([0, 1].map(() => visit({ javaScriptEnabled })))
      const names: string[] = []
      for (const page of pages) {
        await page.goto('/learn/methods')
        const create = page.locator('.step').nth(1)
        const [, shown = ''] = /curl [^]*(\/locations\/[\w-]+)/.exec(await create.innerText()) ?? []
        const sent = page.waitForRequest((request) => request.url().endsWith(shown))
        await create.getByRole('button', { name: 'Send' }).click()
        const response = await (await sent).response()
        if (javaScriptEnabled) assert.equal(response?.status(), 201)
        assert.equal((await app.inject(shown)).statusCode, 200)
        names.push(shown)
        await page.goto('/learn/methods')
        await page.reload()
        const remove = page.locator('.step').nth(2)
        assert.ok((await remove.innerText()).includes(`${shown}'`))
        const removed = page.waitForResponse((response) => response.url().endsWith(shown))
        await remove.getByRole('button', { name: 'Send' }).click()
        await removed
        assert.equal((await app.inject(shown)).statusCode, 404)
      }
      assert.notEqual(names[0], names[1])
    },
  )
}

test('a later request of a lesson needs the first', inBrowser, async (t) => {
  const { visit } = await openSite(t)
  const page = await visit()
  await page.goto('/learn/concurrent-edits')
  await page.getByRole('button', { name: 'Send' }).nth(1).click()
  await page.getByRole('status').getByText('send request 1 first').waitFor()
})

test(
  'after request 1 was sent, the commands of later requests have its values',
  inBrowser,
  async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto('/learn/concurrent-edits')
    const later = page.locator('.step').nth(1)
    const note = later.getByText('in the response to request 1')
    const readCommands = () => later.locator('.command code:not(form *)').allTextContents()
    assert.ok((await readCommands()).every((text) => /\/ID\b[^]*"ETAG\\?"/.test(text)))
    await note.waitFor()
    for (const round of ['first', 'second']) {
      const created = page.waitForResponse((response) => response.status() === 201)
      await page.getByRole('button', { name: 'Send' }).first().click()
      const { location = '/', etag = '' } = (await created).headers()
      await later.getByText(location).first().waitFor()
      assert.ok(await note.isHidden())
      const commands = (await readCommands()).map((text) => text.replaceAll('\\"', '"'))
      assert.equal(commands.length, 3)
      assert.ok(
        commands.every((text) => text.includes(location) && text.includes(etag)),
        round,
      )
    }
    await later.getByRole('button', { name: 'Send' }).click()
    await later.locator('.result .line .status', { hasText: '200' }).waitFor()
  },
)

for (const [slug, index, name, value, request, command] of [
  [
    'methods',
    1,
    'name',
    "Ann's ü",
    /Content-Length: 37\n\nname=Ann%27s\+%C3%BC&/,
    /name=Ann%27s\+%C3%BC&/,
  ],
  ['caching', 3, 'max_age', '5', /^GET \S+\?max_age=5 /, /\?max_age=5['"]/],
  [
    'forms-and-bodies',
    2,
    'color',
    `'"%`,
    /Content-Length: 31\n\n{"color":"'\\"%",/,
    /\\?"\\u0027\\u0022\\u0025\\?",/,
  ],
] as const) {
  test(`the request and the commands of ${slug} have what is typed`, inBrowser, async (t) => {
    const { visit } = await openSite(t)
    const page = await visit()
    await page.goto(`/learn/${slug}`)
    const step = page.locator('.step').nth(index)
    await step.getByRole('textbox', { name, exact: true }).fill(value)
    const [text = '', ...commands] = await step
      .locator('.command code:not(form *)')
      .allTextContents()
    assert.match(text, request)
    assert.equal(commands.length, 2)
    for (const one of commands) assert.match(one, command)
  })
}
