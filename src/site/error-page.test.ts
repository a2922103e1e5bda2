import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp, useApp } from '../../test/support/test-app.ts'
import { findInvalid } from '../../test/support/valid-html.ts'
import type { Demo } from './demo.ts'
import { problemTypes, type ProblemSlug } from '../http/errors/problem-types.ts'
import {
  contentTooLarge,
  methodNotAllowed,
  notFound,
  HttpError,
  serviceUnavailable,
  unprocessable,
} from '../http/errors/http-error.ts'
import { preconditionFailed } from '../http/response/preconditions.ts'

const hostile = `<b>"it"</b>`

const errors: readonly [problem: ProblemSlug, HttpError][] = [
  ['not-found', notFound(`There is no ${hostile}.`)],
  ['cross-site-write', new HttpError('cross-site-write', 'Cross-site writes are blocked.')],
  [
    'method-not-allowed',
    methodNotAllowed('PUT', '/here', { methods: ['GET', 'HEAD'], isJson: false }),
  ],
  ['precondition-failed', preconditionFailed({})],
  ['content-too-large', contentTooLarge('That is over 10 bytes.')],
  ['invalid-fields', unprocessable([{ field: hostile, message: 'is required' }])],
  ['unavailable', serviceUnavailable('The store cannot be reached.')],
  ['internal-error', new HttpError(500, 'Something is broken here.')],
]

const demo: Demo = {
  name: 'failing',
  title: 'Failing',
  summary: 'Always fails.',
  routes: (_, app) => {
    app.get('/failing/:index', ({ params }) => {
      const [, error] = errors[Number((params as { index: string }).index)] ?? []
      throw error ?? new HttpError(423, 'This record is locked.')
    })
    return []
  },
}

const demoApp = useApp({ demos: [demo] })
const sharedApp = useApp({}, catalogueApp)

test('the page of a parameter that a list does not have leads to the list', async (t) => {
  const app = await catalogueApp(t, {})
  for (const referer of [{}, { referer: 'http://localhost/' }]) {
    const headers = { accept: 'text/html', host: 'localhost', ...referer }
    const { body } = await app.inject({ url: '/locations?foo=1', headers })
    assert.match(body, /class="actions"><a class="button" href="\/locations">Show all locations</)
    assert.equal(body.match(/class="actions".*class="button".*class="button"/), null)
  }
})

test('an error page shows what happened, what to do, the status code and links', async () => {
  const app = demoApp()
  for (const [index, [problem, { status, message }]] of errors.entries()) {
    const url = `/failing/${String(index)}`
    const response = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(response.statusCode, status)
    const { title, remedy } = problemTypes[problem]
    const shown = [title, message, remedy].map(escape)
    for (const text of [
      ...shown,
      `class="status s${String(status).charAt(0)}">${String(status)} `,
      `href="/problems/${problem}"`,
    ]) {
      assert.ok(response.body.includes(text), `${problem}: ${text}`)
    }
    assert.ok(!response.body.includes('<b>'))
    assert.match(response.body, /<details class="inspector">/)
    assert.deepEqual(await findInvalid(response.body, url), [])
  }
})

const lists = [
  ['/people/unknown', '/people', 'All people'],
  ['/people/unknown/edit', '/people', 'All people'],
  ['/learn/unknown', '/learn', 'All lessons'],
  ['/problems/unknown', '/problems', 'All problems'],
  ['/inspector/unknown', '/inspector', 'Request inspector'],
  ['/docs/unknown', '/docs', 'Documentation'],
] as const

for (const [url, path, name] of lists) {
  test(`the page of a 404 at ${url} links to ${path}`, async () => {
    const app = sharedApp()
    const response = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(response.statusCode, 404)
    assert.ok(response.body.includes(`aria-label="Breadcrumb"><a href="${path}">${name}</a>`))
  })
}

test('an error page shows the request id of a 5xx error, Allow and Retry-After', async () => {
  const app = demoApp()
  const headers = { accept: 'text/html' }
  for (const [index, [problem]] of errors.entries()) {
    const response = await app.inject({ url: `/failing/${String(index)}`, headers })
    const id = String(response.headers['x-request-id'])
    assert.equal(response.body.includes(id), response.statusCode >= 500, problem)
    assert.equal(response.body.includes('<dd>GET, HEAD</dd>'), problem === 'method-not-allowed')
    assert.equal(response.body.includes('<dd>1 s</dd>'), problem === 'unavailable')
  }
})

test('an error page links back to the page of this service that led to it', async (t) => {
  const app = sharedApp()
  const rows: readonly [referer: string, href: string | undefined][] = [
    ['http://localhost/people?page=2&a="', 'http://localhost/people?page=2&amp;a=%22'],
    ['http://localhost/', 'http://localhost/'],
    ['http://localhost//other.example/', 'http://localhost//other.example/'],
    ['http://other.example/people', undefined],
    ['http://localhost:81/people', undefined],
    ['javascript:alert(1)', undefined],
    ['about:blank', undefined],
    ['none', undefined],
  ]
  for (const [referer, href] of rows) {
    await t.test(referer, async () => {
      const headers = { accept: 'text/html', host: 'localhost', referer }
      const { body } = await app.inject({ url: '/nowhere', headers })
      const [, found] = /href="([^"]*)">Back to the previous page/.exec(body) ?? []
      assert.equal(found, href)
    })
  }
})

test('an unknown status code has an error page', async () => {
  const app = demoApp()
  const response = await app.inject({ url: '/failing/none', headers: { accept: 'text/html' } })
  assert.equal(response.statusCode, 423)
  assert.match(response.body, /<h1>Locked<\/h1>/)
  assert.match(response.body, /This record is locked\./)
  assert.ok(!response.body.includes('href="/problems/'))
  assert.deepEqual(await findInvalid(response.body, '423'), [])
})

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
