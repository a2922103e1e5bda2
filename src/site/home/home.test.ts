import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/test-app.ts'

/** One address of each room that a browser can open. */
const links: Readonly<Record<string, readonly string[]>> = {
  users: ['/users'],
  locations: ['/locations'],
  api: ['/api/json'],
  topic: ['/topic'],
  user: ['/user42'],
  status: ['/status/302', '/status/304', '/status/403', '/status/404', '/status/500'],
  static: ['/topic.html', '/toc.html', '/profile.html'],
}

function findLinks(page: string): string[] {
  return [...page.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
}

function findPaths(page: string): string[] {
  return findLinks(page).map((href) => href.split('?', 1)[0] ?? '')
}

function findForms(page: string): { method: string; action: string }[] {
  return [...page.matchAll(/<form\b([^>]*)>/g)].map(([, attributes = '']) => ({
    method: /\bmethod="([^"]*)"/.exec(attributes)?.[1] ?? 'get',
    action: /\baction="([^"]*)"/.exec(attributes)?.[1] ?? '',
  }))
}

test('the home page is a page', async (t) => {
  const app = await testApp(t)
  const answer = await app.inject('/')
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(answer.body, /<title>Vitrine<\/title>/)
})

test('the home page lists every room, and links to each that has a page', async (t) => {
  const app = await testApp(t)
  const { body } = await app.inject('/')
  const paths = findPaths(body)
  for (const path of Object.values(links).flat()) assert.ok(paths.includes(path), path)
  for (const title of ['Users', 'Locations', 'JSON', 'Topic', 'Bodies', 'Status', 'Static pages']) {
    assert.ok(body.includes(`>${title}</h2>`), title)
  }
})

test('the home page lists the rooms that are mounted and no others', async (t) => {
  for (const mounted of ['topic', 'api,status', 'static', 'users,user', 'bodies']) {
    const app = await testApp(t, { settings: { DEMOS: mounted } })
    const answer = await app.inject('/')
    assert.equal(answer.statusCode, 200, mounted)
    const paths = findPaths(answer.body)
    const names = mounted.split(',')
    for (const [room, expected] of Object.entries(links)) {
      for (const path of expected) {
        assert.equal(paths.includes(path), names.includes(room), `${mounted}: ${path}`)
      }
    }
    assert.equal(answer.body.match(/<h2\b/g)?.length, names.length, mounted)
  }
})

test('every link of the home page answers', async (t) => {
  const app = await testApp(t)
  const hrefs = findLinks((await app.inject('/')).body)
  assert.ok(hrefs.length > 10)
  for (const href of hrefs) {
    const answer = await app.inject(href)
    const [, code] = /^\/status\/(\d+)$/.exec(href) ?? []
    if (href === '/session') assert.equal(answer.headers.location, '/login')
    else if (code === undefined) assert.equal(answer.statusCode, 200, href)
    else assert.equal(String(answer.statusCode), code, href)
  }
})

test('every link of the home page answers when its room is the only one', async (t) => {
  for (const room of Object.keys(links)) {
    const app = await testApp(t, { settings: { DEMOS: room } })
    for (const href of findLinks((await app.inject('/')).body)) {
      const answer = await app.inject(href)
      if (/^\/(status\/|session$)/.test(href)) continue
      assert.equal(answer.statusCode, 200, href)
    }
  }
})

test('every form of the pages behind the links has somewhere to go', async (t) => {
  const app = await testApp(t)
  const actions: string[] = []
  for (const href of findLinks((await app.inject('/')).body)) {
    for (const { method, action } of findForms((await app.inject(href)).body)) {
      // A form that is a script's alone has no action.
      if (action === '') continue
      actions.push(action)
      if (action === '/profile') continue
      const answer = await app.inject({ method: method === 'post' ? 'POST' : 'GET', url: action })
      assert.ok(![404, 405].includes(answer.statusCode), `${method} ${action}`)
    }
  }
  for (const action of ['/topic', '/toc/aaa', '/profile'])
    assert.ok(actions.includes(action), action)
})

test('the stylesheets and the icon of the home page answer', async (t) => {
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

test('OPTIONS names the methods, and a write gets 405 with Allow', async (t) => {
  for (const settings of [{}, { DEMOS: 'user' }]) {
    const app = await testApp(t, { settings })
    const options = await app.inject({ method: 'OPTIONS', url: '/' })
    assert.equal(options.statusCode, 204)
    assert.equal(options.headers.allow, 'GET, HEAD, OPTIONS')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const answer = await app.inject({ method, url: '/' })
      assert.equal(answer.statusCode, 405, method)
      assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS', method)
    }
  }
})
