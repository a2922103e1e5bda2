import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/start-vitrine.ts'
import { testApp } from '../../../test/test-app.ts'
import { createRewriter } from './rewrites.ts'

// The README of json-server.
const rules = {
  '/api/*': '/$1',
  '/:resource/:id/show': '/:resource/:id',
  '/posts/:category': '/posts?category=:category',
  '/articles?id=:id': '/posts/:id',
  '/essays\\?id=:id&lang=:lang': '/posts/:id?lang=:lang',
}

const rewritten: [from: string, to: string][] = [
  ['/api/comments/5', '/comments/5'],
  ['/api/comments?_page=2', '/comments?_page=2'],
  ['/API/comments', '/comments'],
  ['/comments/1/show', '/comments/1'],
  ['/posts/javascript', '/posts?category=javascript'],
  ['/articles?id=1', '/posts/1'],
  ['/essays?id=1&lang=en', '/posts/1?lang=en'],
  // Each rule applies to the result of the one before.
  ['/api/posts/javascript', '/posts?category=javascript'],
  ['/posts', '/posts'],
  ['/api', '/api'],
  ['/posts/a/b', '/posts/a/b'],
]

for (const [from, to] of rewritten) {
  test(`${from} is rewritten to ${to}`, () => {
    assert.equal(createRewriter(rules)(from), to)
  })
}

const separated: [rule: string, from: string, to: string][] = [
  ['/:year-:month-:day', '/2026-11-22', '/2026/11/22'],
  ['/:year-:month-:day', '/2026-11', '/2026-11'],
  ['/:slug-show', '/a-b-show', '/a-b'],
]

for (const [rule, from, to] of separated) {
  test(`${rule} rewrites ${from} to ${to}`, () => {
    const target = rule.includes('slug') ? '/:slug' : '/:year/:month/:day'
    assert.equal(createRewriter({ [rule]: target })(from), to)
  })
}

// Took minutes with this number of names.
test('names that are separated in one segment take linear time', () => {
  const rewrite = createRewriter({ '/:a-:b-:c-:d-:e/x': '/y' })
  const target = `/${'-'.repeat(2000)}`
  assert.equal(rewrite(target), target)
})

for (const rule of ['/*/*/edit', '/:a:b']) {
  test(`a start with the rewrite ${rule} is rejected`, async (t) => {
    const REWRITES = join(await temporaryFolder(t), 'routes.json')
    await writeFile(REWRITES, JSON.stringify({ [rule]: '/$1' }))
    await assert.rejects(testApp(t, { settings: { REWRITES } }), /at most one \*/)
  })
}

test('a rewritten URL is routed like another', async (t) => {
  const REWRITES = join(await temporaryFolder(t), 'routes.json')
  await writeFile(REWRITES, JSON.stringify({ '/api/*': '/$1' }))
  const app = await testApp(t, { settings: { REWRITES } })
  const response = await app.inject('/api/users.json?name=none')
  assert.deepEqual([response.statusCode, response.body], [200, '[]'])
})
