import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../test/test-app.ts'
import { findInvalid } from '../../test/valid-html.ts'
import type { Demo } from './demo.ts'
import { problemTypes, type ProblemSlug } from '../http/errors/problem-types.ts'
import {
  contentTooLarge,
  crossSiteWrite,
  methodNotAllowed,
  notFound,
  preconditionFailed,
  HttpError,
  serviceUnavailable,
  unprocessable,
} from '../http/errors/http-error.ts'

const hostile = `<b>"it"</b>`

const refusals: readonly [problem: ProblemSlug, HttpError][] = [
  ['not-found', notFound(`There is no ${hostile}.`)],
  ['cross-site-write', crossSiteWrite()],
  [
    'method-not-allowed',
    methodNotAllowed('PUT', '/here', { methods: ['GET', 'HEAD'], isJson: false }),
  ],
  ['precondition-failed', preconditionFailed()],
  ['content-too-large', contentTooLarge('That is over 10 bytes.')],
  ['invalid-fields', unprocessable([{ field: hostile, message: 'is required' }])],
  ['unavailable', serviceUnavailable('The store cannot be reached.')],
  ['internal-error', new HttpError(500, 'Something is broken here.')],
]

const room: Demo = {
  name: 'refusing',
  title: 'Refusing',
  summary: 'Only refuses.',
  links: [],
  routes: (_, app) => {
    app.get('/refusing/:index', ({ params }) => {
      const [, refusal] = refusals[Number((params as { index: string }).index)] ?? []
      throw refusal ?? new HttpError(423, 'Somebody is in there.')
    })
    return []
  },
}

test('a page of a refusal says what happened, what to do, the status and where to go on', async (t) => {
  const app = await testApp(t, { demos: [room] })
  for (const [index, [problem, { status, message }]] of refusals.entries()) {
    const url = `/refusing/${String(index)}`
    const answer = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(answer.statusCode, status)
    const { title, meaning, remedy } = problemTypes[problem]
    const shown = [title, message, meaning, remedy].map(escape)
    for (const text of [...shown, `<dd>${String(status)} `, `href="/problems/${problem}"`]) {
      assert.ok(answer.body.includes(text), `${problem}: ${text}`)
    }
    assert.ok(!answer.body.includes('<b>'))
    assert.match(answer.body, /<details class="inspector">/)
    assert.deepEqual(await findInvalid(answer.body, url), [])
  }
})

test('a page names the request of a fault, and of a refusal what its headers say', async (t) => {
  const app = await testApp(t, { demos: [room] })
  const headers = { accept: 'text/html' }
  for (const [index, [problem]] of refusals.entries()) {
    const answer = await app.inject({ url: `/refusing/${String(index)}`, headers })
    const id = String(answer.headers['x-request-id'])
    assert.equal(answer.body.includes(id), answer.statusCode >= 500, problem)
    assert.equal(answer.body.includes('<dd>GET, HEAD</dd>'), problem === 'method-not-allowed')
    assert.equal(answer.body.includes('<dd>1 s</dd>'), problem === 'unavailable')
  }
})

test('a status that is no kind of problem here has a page all the same', async (t) => {
  const app = await testApp(t, { demos: [room] })
  const answer = await app.inject({ url: '/refusing/none', headers: { accept: 'text/html' } })
  assert.equal(answer.statusCode, 423)
  assert.match(answer.body, /<h1>Locked<\/h1>/)
  assert.match(answer.body, /Somebody is in there\./)
  assert.ok(!answer.body.includes('href="/problems/'))
  assert.deepEqual(await findInvalid(answer.body, '423'), [])
})

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
