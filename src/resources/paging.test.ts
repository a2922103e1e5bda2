import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { test } from 'node:test'
import { createRecord, type Shown } from '../../test/resources.ts'
import { testApp } from '../../test/test-app.ts'

async function fill(app: FastifyInstance, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    await createRecord(app, '/locations', { name: String(index) })
  }
}

async function namesAt(app: FastifyInstance, url: string): Promise<string> {
  const answer = await app.inject({ url, headers: { accept: 'application/json' } })
  assert.equal(answer.statusCode, 200)
  return answer
    .json<Shown[]>()
    .map(({ name }) => String(name))
    .join(' ')
}

const pages: [query: string, names: string][] = [
  ['', '1 2 3 4 5 6 7'],
  ['?other=1', '1 2 3 4 5 6 7'],
  ['?page=1&per_page=3', '1 2 3'],
  ['?page=2&per_page=3', '4 5 6'],
  ['?page=3&per_page=3', '7'],
  ['?per_page=3', '1 2 3'],
  ['?page=1', '1 2 3 4 5 6 7'],
  ['?page=7&per_page=1', '7'],
  ['?page=8&per_page=1', ''],
  ['?page=2', ''],
  ['?page=1000000000&per_page=1000', ''],
  ['?page=01&per_page=2', '1 2'],
]

test('a page of a list holds its own part of the records, oldest first', async (t) => {
  const app = await testApp(t)
  await fill(app, 7)
  for (const [query, names] of pages) {
    assert.equal(await namesAt(app, `/locations${query}`), names, query)
    assert.equal(await namesAt(app, `/locations/${query}`), names, query)
  }
})

const badQueries = [
  'page=0',
  'page=-1',
  'page=1.5',
  'page=one',
  'page=',
  'page=1e3',
  'page=%201',
  'page=1&page=2',
  'page[]=1',
  'page[a]=1',
  'page=99999999999999999999',
  'per_page=0',
  'per_page=-5',
  'per_page=2.5',
  'per_page=all',
  'per_page=',
  'per_page=1000000000',
  'page=1&per_page=0',
]

for (const query of badQueries) {
  test(`a list is 400 for ?${query}, in every representation`, async (t) => {
    const app = await testApp(t)
    const name = query.includes('per_page') ? 'per_page' : 'page'
    for (const path of ['/users', '/locations']) {
      for (const accept of ['text/html', 'application/json', 'text/plain']) {
        const answer = await app.inject({ url: `${path}?${query}`, headers: { accept } })
        assert.equal(answer.statusCode, 400, accept)
        assert.match(answer.body, new RegExp(`\\b${name}\\b`))
      }
      const head = await app.inject({ method: 'HEAD', url: `${path}?${query}` })
      assert.equal(head.statusCode, 400)
      assert.equal(head.body, '')
    }
  })
}

test('a page past the end is 200 and empty in every representation', async (t) => {
  const app = await testApp(t)
  await fill(app, 2)
  for (const accept of ['text/html', 'application/json', 'text/plain']) {
    const url = '/locations?page=9&per_page=2'
    const answer = await app.inject({ url, headers: { accept } })
    assert.equal(answer.statusCode, 200)
    assert.ok(!/locations\/[0-9a-f]{8}-/.test(answer.body))
  }
})

test('the pages of a list are linked with one another, and the whole list has no such links', async (t) => {
  const app = await testApp(t)
  await fill(app, 7)
  const linksOf = async (url: string) => {
    const { body } = await app.inject(url)
    return [...body.matchAll(/href="\/locations\?([^"]*)"/g)].map(([, query = '']) =>
      query.replace('&amp;', '&'),
    )
  }
  assert.deepEqual(await linksOf('/locations'), [])
  assert.deepEqual(await linksOf('/locations?per_page=3'), ['page=2&per_page=3'])
  assert.deepEqual(await linksOf('/locations?page=2&per_page=3'), [
    'page=1&per_page=3',
    'page=3&per_page=3',
  ])
  assert.deepEqual(await linksOf('/locations?page=3&per_page=3'), ['page=2&per_page=3'])
})
