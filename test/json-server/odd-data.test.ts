import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../support/data-app.ts'
import { findDifference } from './differences.ts'
import { startOurs } from './ours.ts'
import { sendComparable } from './send-both.ts'
import { startJsonServer } from './servers.ts'
import type { SentRequest, Version } from './types.ts'

const type = 'application/json'
const get = (target: string): SentRequest => ({ method: 'GET', target })
const remove = (target: string): SentRequest => ({ method: 'DELETE', target })
const send = (method: string, target: string, body: unknown): SentRequest => {
  return { method, target, type, body: JSON.stringify(body) }
}

const posts = [
  { id: 1, title: 'first' },
  { id: 1, title: 'second' },
  { id: 'x', title: 'text' },
  { id: 1.5, title: 'float' },
  { id: -3, title: 'negative' },
  { id: 0, title: 'zero' },
  { id: '', title: 'empty' },
]
const comments = [
  { id: 1, postId: 1 },
  { id: 2, postId: 'x' },
]
const named = {
  _x: [{ id: 1, a: 1 }],
  'a.b': [{ id: 1, a: 1 }],
  'my posts': [{ id: 1, a: 1 }],
  作品: [{ id: 1, a: 1 }],
  '😀': [{ id: 1, a: 1 }],
  "it's": [{ id: 1, a: 1 }],
  constructor: [{ id: 1, a: 1 }],
  ['n'.repeat(200)]: [{ id: 1, a: 1 }],
}
/** 0.17 does not find the others: see docs/json-server.md. */
const isPlain = (name: string) => encodeURIComponent(name) === name
const toRequests = (name: string) => {
  const path = `/${encodeURIComponent(name)}`
  return [get(path), get(`${path}/1`), get(`${path}?a=1`), send('PATCH', `${path}/1`, { a: 2 })]
}
const ofIds = [
  ...['', '/1', '/x', '/1.5', '/-3', '/0', '/none', '?id=1', '?id=1.5', '?id=x'].map((end) =>
    get(`/posts${end}`),
  ),
  send('PATCH', '/posts/1', { title: 'changed' }),
  send('PUT', '/posts/1.5', { title: 'put' }),
  get('/posts'),
]

const odd: Readonly<Record<Version, { data: Record<string, unknown>; requests: SentRequest[] }>> = {
  '0.17': {
    data: {
      posts: [...posts, { title: 'no id' }],
      comments,
      kids: [{ a: 1 }, { a: 2 }],
      tags: ['a', 'b'],
      numbers: [1, 2.5],
      lists: [['a'], []],
      mixed: [{ a: 1 }, 'a', null],
      nothing: [null],
      ...named,
    },
    requests: [
      ...Object.keys(named).filter(isPlain).flatMap(toRequests),
      ...ofIds,
      ...['tags', 'numbers', 'lists', 'mixed', 'nothing', 'kids'].map((name) => get(`/${name}`)),
      get('/tags/a'),
      get('/kids/1'),
      get('/kids/undefined'),
      ...['/POSTS/x', '/Posts?title=text', '/posts/1/Comments', '/PROFILE'].map(get),
      send('PATCH', '/Posts/x', { title: 'in another case' }),
      get('/posts?_embed=comments'),
      get('/comments?_expand=post'),
      remove('/posts/1'),
      get('/comments'),
      get('/posts/1'),
      send('PATCH', '/posts/1', { title: 'the second' }),
      remove('/Posts/1'),
      get('/posts/1'),
      get('/posts'),
    ],
  },
  '1': {
    data: {
      posts: [...posts, { id: null, title: 'null' }],
      comments,
      nextId: 3,
      version: 'abc',
      isOpen: false,
      nothing: null,
      lists: [['a'], []],
      ...named,
    },
    requests: [
      ...Object.keys(named).flatMap(toRequests),
      ...ofIds,
      ...['nextId', 'isOpen', 'lists'].map((name) => get(`/${name}`)),
      get('/nextId?_page=1'),
      get('/nextId/1'),
      send('PUT', '/nextId', 4),
      send('PUT', '/nextId', { a: 1 }),
      send('PATCH', '/nextId', { b: 2 }),
      send('PATCH', '/version', { b: 2 }),
      ...['nextId', 'version'].map((name) => get(`/${name}`)),
      get('/posts?_embed=comments'),
      remove('/posts/1'),
      get('/comments'),
      get('/posts/1'),
      remove('/posts/1'),
      get('/posts'),
    ],
  },
}

for (const version of ['0.17', '1'] as const) {
  test(`a file with odd names, ids and values in ${version}`, async (t) => {
    const { data, requests } = odd[version]
    const all = { ...data, profile: { a: 1 } }
    const theirs = { origin: await startJsonServer(t, version, { data: all }), created: [] }
    const ours = { origin: await startOurs(t, version, { data: all }), created: [] }
    for (const request of requests) {
      await t.test(
        `${request.method} ${request.target.slice(0, 60)} ${request.body ?? ''}`,
        async () => {
          const expected = await sendComparable(theirs, request)
          const actual = await sendComparable(ours, request)
          const known = findDifference(version, { sent: request, theirs: expected, ours: actual })
          if (known === undefined) assert.deepEqual(actual, expected)
        },
      )
    }
  })
}

test('in 0.17 a name that has to be encoded is a path, and the case of a path does not count', async (t) => {
  const settings = { JSON_SERVER: '0.17' }
  const data = { 'My Posts': [{ id: 1 }], 作品: [{ id: 1 }], profile: {}, posts: [{ id: 'A' }] }
  const app = await dataApp(t, data, { settings })
  for (const [url, status] of [
    ['/my%20posts/1', 200],
    ['/%4dY%20POSTS', 200],
    ['/%E4%BD%9C%E5%93%81', 200],
    ['/Profile', 200],
    ['/Db', 200],
    ['/POSTS/A', 200],
    ['/posts/a', 404],
    ['/Health', 404],
  ] as const)
    assert.equal((await app.inject(url)).statusCode, status, url)
})

test('in 1 the case of a path counts', async (t) => {
  const app = await dataApp(t, { posts: [{ id: '1' }] }, { settings: { JSON_SERVER: '1' } })
  assert.equal((await app.inject('/Posts')).statusCode, 404)
})

test('/db has the values, and the records without an id as they are', async (t) => {
  const data = { kids: [{ a: 1 }, { a: 2 }], tags: ['a'], nextId: 3, nothing: null, posts: [] }
  const app = await dataApp(t, data, { settings: { JSON_SERVER: '0.17' } })
  assert.deepEqual((await app.inject('/db')).json(), data)
})
