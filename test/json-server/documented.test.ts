import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../support/start-vitrine.ts'
import { data } from './data.ts'
import { findDifference } from './differences.ts'
import { startOurs } from './ours.ts'
import { sendComparable } from './send-both.ts'
import { startJsonServer, type Database } from './servers.ts'
import type { SentRequest, Version } from './types.ts'

const type = 'application/json'
const get = (target: string): SentRequest => ({ method: 'GET', target })
const send = (method: string, target: string, body: unknown): SentRequest => {
  return { method, target, type, body: JSON.stringify(body) }
}

/** What the README of each version shows, with the names of this data. */
const documented: Readonly<Record<Version, readonly SentRequest[]>> = {
  '0.17': [
    get('/posts'),
    get('/posts/1'),
    get('/profile'),
    get('/posts?title=json-server&author.name=typicode'),
    get('/posts?id=1&id=2'),
    get('/posts?author.name=typicode'),
    get('/posts?_page=2'),
    get('/posts?_page=2&_limit=5'),
    get('/posts?_sort=views&_order=asc'),
    get('/posts/1/comments?_sort=likes&_order=asc'),
    get('/posts?_sort=author.name,views&_order=desc,asc'),
    get('/posts?_start=2&_end=4'),
    get('/posts/1/comments?_start=1&_end=3'),
    get('/posts/1/comments?_start=1&_limit=1'),
    get('/posts?views_gte=10&views_lte=100'),
    get('/posts?id_ne=1'),
    get('/posts?title_like=server'),
    get('/posts?title_like=^.{5}$'),
    get('/posts?q=json'),
    get('/posts?_embed=comments'),
    get('/posts/1?_embed=comments'),
    get('/comments?_expand=post'),
    get('/comments/1?_expand=post'),
    get('/db'),
    send('POST', '/posts', { title: 'new' }),
    send('POST', '/comments', { id: 50, body: 'own id', postId: 1 }),
    send('PUT', '/posts/2', { title: 'replaced' }),
    send('PATCH', '/posts/3', { views: 1, id: 77 }),
    send('POST', '/profile', { name: 'posted' }),
    send('PUT', '/profile', { name: 'put' }),
    send('PATCH', '/profile', { age: 5 }),
    { method: 'POST', target: '/posts', type: 'text/plain', body: '{"title":"ignored"}' },
    { method: 'DELETE', target: '/posts/1' },
    get('/posts/1'),
    get('/comments'),
    get('/db'),
  ],
  '1': [
    get('/posts'),
    get('/posts/1'),
    get('/profile'),
    get('/posts?views:gt=100'),
    get('/posts?title:eq=Other'),
    get('/posts?id:in=1,2,3'),
    get('/posts?author.name:eq=typicode'),
    get('/posts?title:contains=JSON'),
    get('/posts?title:startsWith=a'),
    get('/posts?title:endsWith=r'),
    get('/posts?_sort=title'),
    get('/posts?_sort=-views'),
    get('/posts?_sort=author.name,-views'),
    get('/posts?_page=1&_per_page=5'),
    get('/posts?_page=99&_per_page=5'),
    get('/posts?_page=1'),
    get('/groups?_embed=members'),
    get('/members?_embed=group'),
    get('/groups/g1?_embed=members'),
    get('/posts?_where={"or":[{"views":{"gt":100}},{"author":{"name":{"lt":"m"}}}]}'),
    send('POST', '/posts', { title: 'new', id: 'ignored' }),
    send('PUT', '/posts/2', { title: 'replaced' }),
    send('PATCH', '/posts/3', { views: 1, id: '77' }),
    send('PUT', '/profile', { name: 'put' }),
    send('PATCH', '/profile', { age: 5 }),
    send('POST', '/posts', [1]),
    { method: 'DELETE', target: '/groups/g1?_dependent=members' },
    get('/members'),
    { method: 'DELETE', target: '/groups/g4' },
    get('/members'),
  ],
}

for (const version of ['0.17', '1'] as const) {
  test(`the README of json-server ${version}`, async (t) => {
    await compareEach(t, { version, requests: documented[version], data })
  })
}

interface Case {
  version: Version
  requests: readonly SentRequest[]
  data: Database
  flags?: readonly string[]
  settings?: Readonly<Record<string, string>>
}

async function compareEach(t: TestContext, { version, requests, ...options }: Case) {
  const theirs = { origin: await startJsonServer(t, version, options), created: [] }
  const ours = { origin: await startOurs(t, version, options), created: [] }
  for (const request of requests) {
    await t.test(`${request.method} ${request.target} ${request.body ?? ''}`, async () => {
      const expected = await sendComparable(theirs, request)
      const actual = await sendComparable(ours, request)
      const known = findDifference(version, { sent: request, theirs: expected, ours: actual })
      if (known !== 'Paths without a resource') assert.deepEqual(actual, expected)
    })
  }
}

test('--routes of 0.17', async (t) => {
  const file = join(await temporaryFolder(t), 'routes.json')
  const rules = {
    '/api/*': '/$1',
    '/:resource/:id/show': '/:resource/:id',
    '/posts/by/:category': '/posts?title=:category',
    '/articles?id=:id': '/posts/:id',
    '/essays\\?id=:id': '/posts/:id',
    products: 'products',
    '/n/:id(\\d+)': '/posts/:id',
    '/o/:id?': '/posts/:id',
    '/x/*/y/*': '/$1/$2',
    '/(news|texts)/:id': '/posts/:id',
    '/deep/:path+': '/:path',
    '/v(\\d+)/*': '/$2',
  }
  await writeFile(file, JSON.stringify(rules))
  const targets = [
    '/api/posts/1',
    '/posts/2/show',
    '/posts/by/Other',
    '/articles?id=3',
    '/api/posts?q=a',
    '/essays?id=3',
    '/products',
    '/n/1',
    '/n/a',
    '/o/1',
    '/o',
    '/x/posts/y/1',
    '/news/1',
    '/texts/2/',
    '/NEWS/2',
    '/deep/posts/1',
    '/v12/posts/1',
  ]
  await compareEach(t, {
    version: '0.17',
    requests: [...targets.map(get), send('POST', '/api/posts', { title: 'new' })],
    data,
    flags: ['--routes', file],
    settings: { REWRITES: file },
  })
})

test('--id and --foreignKeySuffix of 0.17', async (t) => {
  const posts = [
    { _id: 1, title: 'one' },
    { _id: 2, title: 'two' },
  ]
  const comments = [
    { _id: 1, post_id: 1 },
    { _id: 2, post_id: 2 },
  ]
  await compareEach(t, {
    version: '0.17',
    requests: [
      ...['/posts/1', '/posts?_id=2', '/comments?_expand=post', '/posts/1/comments'].map(get),
      send('PATCH', '/posts/2', { _id: 5, id: 6 }),
      { method: 'DELETE', target: '/posts/9' },
    ],
    data: { posts, comments, empty: [], profile: {} },
    flags: ['--id', '_id', '--foreignKeySuffix', '_id'],
    settings: { DATA_ID: '_id', FOREIGN_KEY_SUFFIX: '_id' },
  })
})

const plurals = {
  people: 'person',
  children: 'child',
  statuses: 'status',
  movies: 'movie',
  heroes: 'hero',
  bonuses: 'bonus',
  quizzes: 'quiz',
  addresses: 'address',
  boxes: 'box',
  cities: 'city',
  houses: 'house',
  news: 'news',
  shelves: 'shelf',
  analyses: 'analysis',
  mice: 'mouse',
  operadora: 'operadora',
  axes: 'axis',
  media: 'medium',
  leaves: 'leaf',
}

for (const version of ['0.17', '1'] as const) {
  test(`the singular of irregular names in ${version}`, async (t) => {
    const parents = Object.keys(plurals).map((name): [string, object] => [
      name,
      [{ id: 'a', name }],
    ])
    const keys = Object.values(plurals).map((name): [string, string] => [`${name}Id`, 'a'])
    const things = [{ id: 't', ...Object.fromEntries(keys) }]
    const requests = Object.values(plurals).map((singular) => {
      return get(`/things?_embed=${singular}&_expand=${singular}`)
    })
    const children = Object.keys(plurals).flatMap((plural) => {
      const nested = version === '1' ? [] : [get(`/${plural}/a/things`)]
      return [get(`/${plural}?_embed=things`), ...nested]
    })
    const withoutEmbed = requests.map(({ target }) => get(target.replace(/_embed=\w+&/, '')))
    await compareEach(t, {
      version,
      requests: [...(version === '1' ? requests : withoutEmbed), ...children],
      data: { ...Object.fromEntries(parents), things, profile: {} },
    })
  })
}

const removals = {
  operadora: [{ id: 1 }, { id: 2 }],
  clientes: [{ id: 1, operadoraId: 1 }],
  shelves: [{ id: 'a' }],
  mice: [{ id: 'a' }, { id: 'b', mouseId: 'a' }],
  axes: [{ id: 'a' }],
  posts: [{ id: 'a' }, { id: 'b' }],
  comments: [
    { id: 'a', postId: 'a' },
    { id: 'b', postId: 'b' },
  ],
  replies: [{ id: 'a', commentId: 'a' }],
  kids: [
    { id: 'a', shelfId: 'a' },
    { id: 'b', shelvesId: 'a' },
    { id: 'c', shelveId: 'a' },
    { id: 'd', axisId: 'a' },
    { id: 'e', axeId: 'a' },
    { id: 'f', ShelfId: 'a' },
    { id: 'g', shelfIds: 'a' },
  ],
  profile: { postId: 'a' },
} as const

for (const version of ['0.17', '1'] as const) {
  for (const target of [
    '/operadora/1',
    '/shelves/a',
    '/mice/a',
    '/axes/a',
    '/posts/a',
    '/comments/a',
    '/shelves/a?_dependent=kids',
  ]) {
    test(`what DELETE ${target} removes and keeps in ${version}`, async (t) => {
      const names = Object.keys(removals).map((name) => get(`/${name}`))
      const requests = [{ method: 'DELETE', target }, ...names]
      await compareEach(t, { version, requests, data: removals })
    })
  }
}
