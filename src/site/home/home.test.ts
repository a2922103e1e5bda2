import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demos } from '../../demos/catalogue.ts'
import type { Demo } from '../demo.ts'
import { catalogueApp, testApp, useApp } from '../../../test/support/test-app.ts'
import { testDemos } from '../../../test/support/test-demos.ts'

const sharedApp = useApp({}, catalogueApp)

/** The URL of each demo. */
const pages = demos.map(toPage)

function toPage({ name, page = `/demos/${name}` }: Demo): string {
  return page
}

function findLinks(page: string): string[] {
  return [...page.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
}

test('the home page is a valid page', async () => {
  const app = sharedApp()
  const response = await app.inject('/')
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(response.body, /<title>Vitrine<\/title>/)
})

test('the home page lists every demo, and has an image for other sites', async () => {
  const app = sharedApp()
  const { body } = await app.inject('/')
  const found = findLinks(body)
  for (const page of pages) assert.ok(found.includes(page), page)
  const [, image = ''] =
    /property="og:image" content="http:\/\/localhost(?::80)?([^"]*)"/.exec(body) ?? []
  assert.equal((await app.inject(image)).headers['content-type'], 'image/png')
})

for (const [INSPECTOR, expected] of [
  ['all', / shows the requests of all clients as they end\./],
  ['own', / shows your requests as they end\./],
  ['off', /your own client\.<\/p>/],
] as const) {
  test(`the home page states what the inspector shows with INSPECTOR=${INSPECTOR}`, async (t) => {
    const app = await catalogueApp(t, { settings: { INSPECTOR } })
    const { body } = await app.inject('/')
    assert.match(body, expected)
    assert.match(body, /<p class="lead">[^]*?<a href="\/learn">lessons<\/a>[^]*?<\/p>/)
  })
}

for (const open of [...demos.map(({ name }) => name), 'mirror', 'people,mirror']) {
  test(`the home page lists the open demos and no others with DEMOS=${open}`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: open } })
    const response = await app.inject('/')
    assert.equal(response.statusCode, 200)
    const found = findLinks(response.body)
    for (const demo of [...demos, ...testDemos]) {
      assert.equal(found.includes(toPage(demo)), open.split(',').includes(demo.name), demo.name)
    }
  })
}

for (const { name } of demos) {
  test(`every link of the home page and of the page of ${name} has a response`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: name } })
    for (const page of ['/', `/demos/${name}`]) {
      for (const href of findLinks((await app.inject(page)).body)) {
        const { statusCode } = await app.inject(href)
        assert.ok(statusCode < 500 || href.startsWith('/status/'), href)
      }
    }
  })
}

test('the stylesheets and the icon of the home page exist', async () => {
  const app = sharedApp()
  const { body } = await app.inject('/')
  const hrefs = [...body.matchAll(/<link\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) => href)
  assert.ok(hrefs.length > 0)
  for (const href of hrefs) assert.equal((await app.inject(href)).statusCode, 200, href)
})

test('the requests to try ask for a record as JSON', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'people,mirror' } })
  const { body } = await app.inject('/')
  const chips = [...body.matchAll(/data-fill="([^"]*)"/g)].map(
    ([, text = '']) =>
      JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as object,
  )
  const [create] = chips.filter((chip) => 'method' in chip && chip.method === 'POST')
  const { target, headers } = { target: '', headers: [], ...create }
  assert.deepEqual([target, headers], ['/people', [['Accept', 'application/json']]])
})
