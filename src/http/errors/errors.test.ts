import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  sendBothWays,
  sendInjected,
  sendRaw,
  ownOrigin,
} from '../../../test/support/request-both-ways.ts'
import { catalogueApp, testApp, useApp } from '../../../test/support/test-app.ts'
import type { Demo } from '../../site/demo.ts'
import { demos } from '../../demos/catalogue.ts'

const secret = 'SELECT password FROM records'

/** Unexpected errors: a handler may throw anything. */
const faults: readonly unknown[] = [
  new Error(secret),
  new TypeError(secret),
  Object.assign(new Error(secret), { statusCode: 503 }),
  Object.assign(new Error(secret), { code: 'SQLITE_BUSY', path: secret }),
  { message: secret },
  secret,
  null,
  undefined,
]

/** A demo with unexpected errors, and with a route for each default media type. */
const broken: Demo = {
  name: 'broken',
  title: 'Broken',
  summary: 'Nothing works here.',
  routes: (_, app) => {
    const fail = (index: string): never => {
      throw faults[Number(index)]
    }
    const toIndex = (params: unknown) => (params as { index: string }).index
    app.get('/now/:index', ({ params }) => fail(toIndex(params)))
    app.get('/later/:index', async ({ params }) => fail(toIndex(params)))
    app.get('/json/:index', { config: { defaultType: 'json' } }, ({ params }) =>
      fail(toIndex(params)),
    )
    app.post('/json', { config: { defaultType: 'json' } }, () => ({}))
    app.post('/page', { config: { defaultType: 'html' } }, () => ({}))
    app.post('/text', () => ({}))
    return []
  },
}

const brokenApp = (t: TestContext) => testApp(t, { demos: [...demos, broken], expectsFaults: true })

const catalogue = useApp({}, catalogueApp)

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const problem = 'application/problem+json'

test('an error has the preferred media type, else that of the route', async (t) => {
  const app = await brokenApp(t)
  const rows: [path: string, accept: string | undefined, type: string][] = [
    ['/text', undefined, 'text/plain'],
    ['/page', undefined, 'text/plain'],
    ['/json', undefined, problem],
  ]
  for (const path of ['/text', '/page', '/json']) {
    rows.push(
      [path, browserAccept, 'text/html'],
      [path, 'text/html', 'text/html'],
      [path, 'text/plain', 'text/plain'],
      [path, 'application/json', problem],
      [path, problem, problem],
      [path, 'application/json, text/html;q=0.5', problem],
      [path, '*/*', path === '/json' ? problem : 'text/plain'],
      [path, 'image/png', path === '/json' ? problem : 'text/plain'],
    )
  }
  for (const [path, accept, type] of rows) {
    await t.test(`${path} ${type}`, async () => {
      const headers = {
        'content-type': 'application/json',
        ...(accept !== undefined && { accept }),
      }
      const response = await sendBothWays(app, { method: 'POST', path, headers, body: '{' })
      assert.deepEqual(
        [path, accept, response.status, response.headers['content-type']?.split(';')[0]],
        [path, accept, 400, type],
      )
      assert.match(response.headers.vary ?? '', /\bAccept\b(?!-)/)
    })
  }
})

test('a problem has the members of RFC 9457 and the status of its response', async () => {
  const app = catalogue()
  const headers = { accept: 'application/json' }
  const { status, body } = await sendBothWays(app, { path: '/nowhere', headers })
  const { instance, ...others } = JSON.parse(body) as { instance: string }
  assert.deepEqual(others, {
    type: `${ownOrigin}/problems/not-found`,
    title: 'Not Found',
    status: 404,
    detail: 'There is nothing at /nowhere.',
  })
  assert.equal(status, 404)
  assert.ok(app.logLines.some((line) => line.includes(instance.replace('urn:uuid:', ''))))
})

test('the error for an unknown path names it, in every media type and escaped in a page', async (t) => {
  const app = catalogue()
  for (const accept of ['text/plain', 'application/json', 'text/html']) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      await t.test(`${accept} ${method}`, async () => {
        const path = '/nowhere/at-all?secret=1'
        const response = await sendBothWays(app, { method, path, headers: { accept } })
        assert.deepEqual([method, response.status], [method, 404])
        assert.match(response.body, /\/nowhere\/at-all/)
        assert.doesNotMatch(response.body, /secret/)
      })
    }
  }
  const headers = { accept: 'text/html' }
  const injected = await sendInjected(app, { path: "/<script>'&", headers })
  assert.match(injected.body, /\/(&lt;|%3C)script(&gt;|%3E)(&#39;|')&amp;/)
  assert.doesNotMatch(injected.body, /<script(?! (?:type="module" )?src="\/assets\/)/)
})

test('an unsupported method gets 405, and Allow lists the supported ones', async (t) => {
  const app = catalogue()
  const rows: [method: string, path: string, allow: string][] = [
    ['POST', '/mirror/query', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/mirror/query/', 'GET, HEAD, OPTIONS'],
    ['GET', '/mirror/field', 'POST, OPTIONS'],
    ['PATCH', '/mirror/field', 'POST, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
    ['POST', '/topic.html', 'GET, HEAD, OPTIONS'],
    ['POST', '/assets/base.css', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/people', 'GET, HEAD, QUERY, POST, OPTIONS'],
    ['DELETE', '/mirror/query', 'GET, HEAD, OPTIONS'],
    ['PUT', '/mirror/field', 'POST, OPTIONS'],
  ]
  for (const [method, path, allow] of rows) {
    await t.test(`${method} ${path}`, async () => {
      const { status, headers } = await sendBothWays(app, { method, path })
      assert.deepEqual([method, path, status, headers.allow], [method, path, 405, allow])
    })
  }
})

test('an unknown method gets 501', async (t) => {
  const app = catalogue()
  for (const method of ['PROPFIND', 'MKCOL', 'LOCK', 'SEARCH', 'PURGE']) {
    for (const path of ['/people', '/nowhere', '/topic.html', '/mirror/query']) {
      await t.test(`${method} ${path}`, async () => {
        const { status } = await sendBothWays(app, { method, path })
        assert.deepEqual([method, path, status], [method, path, 501])
      })
    }
  }
})

test('a request target of 8 KiB is accepted, and a longer one gets 414', async (t) => {
  const app = catalogue()
  const start = '/mirror/query?a='
  const most = start + 'x'.repeat(8192 - start.length)
  assert.equal((await sendBothWays(app, { path: most })).status, 200)
  for (const path of [`${most}x`, `/${'x'.repeat(8192)}`, `/people/${'x'.repeat(9000)}`]) {
    await t.test(path, async () => {
      const { status } = await sendBothWays(app, { path })
      assert.deepEqual([path.length, status], [path.length, 414])
    })
  }
})

test('an unexpected error is a 500 with the request id of the log and without its message', async (t) => {
  const app = await brokenApp(t)
  const forms = ['text/plain', 'text/html', 'application/json', undefined]
  for (const start of ['/now', '/later', '/json']) {
    for (const index of faults.keys()) {
      for (const accept of forms) {
        const path = `${start}/${String(index)}`
        const headers = accept === undefined ? {} : { accept }
        const logged = app.logLines.length
        const {
          status,
          body,
          headers: responseHeaders,
        } = await sendInjected(app, { path, headers })
        const lines = app.logLines.slice(logged).map((line) => JSON.parse(line) as LogLine)
        const fault = lines.find(({ level }) => level >= 50)
        assert.deepEqual([path, status], [path, 500])
        assert.ok(fault !== undefined, `${path} is not in the log`)
        assert.ok(body.includes(fault.reqId), `${path}: ${body}`)
        assert.doesNotMatch(
          body + JSON.stringify(responseHeaders),
          /SELECT|SQLITE|\.ts|node_modules|\bat /,
        )
      }
    }
  }
})

interface LogLine {
  level: number
  reqId: string
}

test('an error has a line in the log, like any other response', async (t) => {
  const app = catalogue()
  for (const path of ['/nowhere', '/mirror/query?a=%ff', `/${'x'.repeat(9000)}`, '/%ff']) {
    await t.test(path, async () => {
      const logged = app.logLines.length
      await sendInjected(app, { path })
      const lines = app.logLines
        .slice(logged)
        .filter((line) => line.includes('"request completed"'))
      assert.deepEqual([path.slice(0, 20), lines.length], [path.slice(0, 20), 1])
    })
  }
})

for (const phrase of ['413 Content Too Large', '422 Unprocessable Content']) {
  test(`the status line of ${phrase} has the name of RFC 9110`, async () => {
    const app = catalogue()
    const request = `GET /mirror/status/${phrase.slice(0, 3)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    assert.ok((await sendRaw(app, request)).startsWith(`HTTP/1.1 ${phrase}\r\n`))
  })
}
