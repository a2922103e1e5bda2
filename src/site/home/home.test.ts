import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demos } from '../../demos/catalogue.ts'
import { testApp } from '../../../test/test-app.ts'

/** The links of each demo. */
const links = demos.map(({ name, links }) => [name, links.map(({ href }) => href)] as const)

function findLinks(page: string): string[] {
  return [...page.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
}

function findForms(page: string): { method: string; action: string }[] {
  return [...page.matchAll(/<form\b([^>]*)>/g)].map(([, attributes = '']) => ({
    method: /\bmethod="([^"]*)"/.exec(attributes)?.[1] ?? 'get',
    action: /\baction="([^"]*)"/.exec(attributes)?.[1] ?? '',
  }))
}

test('the home page is a valid page', async (t) => {
  const app = await testApp(t)
  const response = await app.inject('/')
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(response.body, /<title>Vitrine<\/title>/)
})

test('the home page lists every demo with its links', async (t) => {
  const app = await testApp(t)
  const { body } = await app.inject('/')
  const found = findLinks(body)
  for (const href of links.flatMap(([, hrefs]) => hrefs)) assert.ok(found.includes(href), href)
  for (const { title } of demos) assert.ok(body.includes(`>${title}</h2>`), title)
})

for (const open of ['user', 'api,user', 'static', 'users,user', 'bodies']) {
  test(`the home page lists the open demos and no others with DEMOS=${open}`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: open } })
    const response = await app.inject('/')
    assert.equal(response.statusCode, 200)
    const found = findLinks(response.body)
    const names = open.split(',')
    for (const [name, hrefs] of links) {
      for (const href of hrefs) assert.equal(found.includes(href), names.includes(name), href)
    }
    assert.equal(response.body.match(/<h2\b/g)?.length, names.length)
  })
}

test('every link of the home page has a response', async (t) => {
  const app = await testApp(t)
  const hrefs = findLinks((await app.inject('/')).body)
  assert.ok(hrefs.length > 10)
  for (const href of hrefs) {
    await t.test(href, async () => {
      const response = await app.inject(href)
      const [, code] = /^\/status\/(\d+)$/.exec(href) ?? []
      if (href === '/session') assert.equal(response.headers.location, '/login')
      else if (code === undefined) assert.equal(response.statusCode, 200)
      else assert.equal(String(response.statusCode), code)
    })
  }
})

for (const [name] of links) {
  test(`every link of the home page has a response with DEMOS=${name}`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: name } })
    for (const href of findLinks((await app.inject('/')).body)) {
      const response = await app.inject(href)
      if (/^\/(status\/|session$)/.test(href)) continue
      assert.equal(response.statusCode, 200, href)
    }
  })
}

test('every form of the home page has a route', async (t) => {
  const app = await testApp(t)
  const forms = findForms((await app.inject('/')).body)
  assert.ok(forms.length > 5)
  for (const { method, action } of forms) {
    const { headers } = await app.inject({ method: 'OPTIONS', url: action })
    if (action.startsWith('/status/')) continue
    assert.ok(String(headers.allow).includes(method.toUpperCase()), action)
  }
})

test('the stylesheets and the icon of the home page exist', async (t) => {
  const app = await testApp(t)
  const { body } = await app.inject('/')
  const hrefs = [...body.matchAll(/<link\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) => href)
  assert.ok(hrefs.length > 0)
  for (const href of hrefs) assert.equal((await app.inject(href)).statusCode, 200, href)
})

test('HEAD has the headers of GET and no body', async (t) => {
  const app = await testApp(t)
  const get = await app.inject('/')
  const head = await app.inject({ method: 'HEAD', url: '/' })
  assert.equal(head.statusCode, 200)
  assert.equal(head.headers['content-type'], get.headers['content-type'])
  assert.equal(head.headers['content-length'], get.headers['content-length'])
  assert.equal(head.body, '')
})

test('OPTIONS lists the methods, and an unsafe method gets 405 with Allow', async (t) => {
  for (const settings of [{}, { DEMOS: 'user' }]) {
    const app = await testApp(t, { settings })
    const options = await app.inject({ method: 'OPTIONS', url: '/' })
    assert.equal(options.statusCode, 204)
    assert.equal(options.headers.allow, 'GET, HEAD, OPTIONS')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const response = await app.inject({ method, url: '/' })
      assert.equal(response.statusCode, 405, method)
      assert.equal(response.headers.allow, 'GET, HEAD, OPTIONS', method)
    }
  }
})
