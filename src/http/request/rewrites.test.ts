import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  findOrigin,
  settingsIn,
  spawnVitrine,
  temporaryFolder,
} from '../../../test/support/start-vitrine.ts'
import { testApp } from '../../../test/support/test-app.ts'
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

const hostile: [rule: string, target: string][] = [
  ['/:a-:b-:c-:d-:e/x', `/${'-'.repeat(8000)}`],
  ['/*/*/*/*/edit', '/'.repeat(8000)],
  ['/:id((?:a+)+)/edit', `/${'a'.repeat(8000)}`],
  ['/:a*/:b*/:c*/edit', '/a'.repeat(4000)],
]

for (const [rule, target] of hostile) {
  test(`the rule ${rule} costs a request at most some milliseconds`, () => {
    const rewrite = createRewriter({ [rule]: '/y' })
    const start = process.cpuUsage()
    assert.equal(rewrite(target), target)
    const { user, system } = process.cpuUsage(start)
    assert.ok(user + system < 500_000)
  })
}

test('a rule that cannot be used is named, and the others are applied', async (t) => {
  const REWRITES = join(await temporaryFolder(t), 'routes.json')
  const others = { products: 'products', '/a/:b': '/:c', '/:c(*)': '/d', '/e': 7, '/f': 'g' }
  await writeFile(REWRITES, JSON.stringify({ ...others, '/api/*': '/$1' }))
  const settings = { PORT: '0', REWRITES, ...settingsIn(await temporaryFolder(t)) }
  const started = spawnVitrine(settings)
  t.after(() => started.process.kill('SIGKILL'))
  const origin = await findOrigin(started)
  assert.equal((await fetch(`${origin}/api/health`)).status, 200)
  const lines = started
    .output()
    .split('\n')
    .filter((line) => line.includes('is not applied'))
  assert.deepEqual(
    lines.map((line) => /"(.+?)" is not applied/.exec(line)?.[1]),
    Object.keys(others),
  )
})

test('a rewritten URL is routed like another', async (t) => {
  const REWRITES = join(await temporaryFolder(t), 'routes.json')
  await writeFile(REWRITES, JSON.stringify({ '/api/*': '/$1' }))
  const app = await testApp(t, { settings: { DEMOS: 'users', REWRITES } })
  const response = await app.inject('/api/users.json?name=none')
  assert.deepEqual([response.statusCode, response.body], [200, '[]'])
})
