import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { openBlog, openFilledBlog } from '../../../test/support/blog.ts'
import { temporaryDatabase } from '../../../test/support/resources.ts'
import { useApp } from '../../../test/support/test-app.ts'

/** For requests that store nothing. */
const blog = useApp({}, async (t) => (await openFilledBlog(t)).app)
const readBlog = async (url: string) => (await blog().inject(url)).json<unknown>()

const ann = { id: 1, name: 'Ann', email: 'ann@x.org' }
const bob = { id: 2, name: 'Bob', email: 'bob@x.org' }
const post = { id: 1, title: 'One', authorId: 1, editor: 2 }
const yes = { id: 1, body: 'Yes', postId: 1, authorId: 2 }
const no = { id: 2, body: 'No', postId: 1, authorId: '1' }
const news = { id: 1, postId: 1, tagId: 1 }
const code = { id: 2, postId: 1, tagId: 2 }

const cases: [query: string, members: object][] = [
  ['_embed=comments', { comments: [yes, no] }],
  ['_expand=author', { author: ann }],
  ['_embed=author', { author: ann }],
  ['_embed=comments&_expand=author', { comments: [yes, no], author: ann }],
  ['_embed=comments&_embed=author', { comments: [yes, no], author: ann }],
  ['embed=author,comments', { author: ann, comments: [yes, no] }],
  [
    'embed=author,comments.author',
    {
      author: ann,
      comments: [
        { ...yes, author: bob },
        { ...no, author: ann },
      ],
    },
  ],
  [
    'embed=postTags.tag',
    {
      postTags: [
        { ...news, tag: { id: 1, name: 'news' } },
        { ...code, tag: { id: 2, name: 'code' } },
      ],
    },
  ],
  [
    'embed=comments.post.author',
    { comments: [yes, no].map((each) => ({ ...each, post: { ...post, author: ann } })) },
  ],
  ['embed=', {}],
]

for (const [query, members] of cases) {
  test(`${query} embeds in a record, in a list and in a page`, async () => {
    const read = readBlog
    const expected = { ...post, ...members }
    assert.deepEqual(await read(`/posts/1?${query}`), expected)
    assert.deepEqual(((await read(`/posts?${query}`)) as unknown[])[0], expected)
    assert.deepEqual(await read(`/posts?per_page=1&${query}`), [expected])
    assert.deepEqual(await read(`/posts.json?id=1&${query}`), [expected])
  })
}

test('a missing parent is null, missing children are an empty list', async (t) => {
  const { add, read } = await openFilledBlog(t)
  await add('posts', { title: 'x', authorId: 2 })
  assert.deepEqual(await read('/posts/4?embed=comments'), {
    id: 4,
    title: 'x',
    authorId: 2,
    comments: [],
  })
  await add('comments', { body: 'x' })
  assert.deepEqual(await read('/comments/3?embed=post.author'), { id: 3, body: 'x', post: null })
})

test('fields selects fields of the record, and NDJSON embeds too; other types do not', async () => {
  const [app, read] = [blog(), readBlog]
  assert.deepEqual(await read('/posts?id=1&fields=title&embed=author'), [
    { title: 'One', author: ann },
  ])
  const lines = await app.inject('/posts.ndjson?id=1&embed=author')
  assert.equal(lines.body, `${JSON.stringify({ ...post, author: ann })}\n`)
  for (const url of [
    '/posts.csv?embed=author',
    '/posts.txt?embed=author',
    '/posts/1.txt?embed=author',
  ]) {
    const response = await app.inject(url)
    assert.equal(response.statusCode, 200)
    assert.doesNotMatch(response.body, /Ann/)
  }
})

test('fields selects fields of one record too, whose tag and members depend on them', async (t) => {
  const { app, read } = await openFilledBlog(t)
  assert.deepEqual(await read('/posts/1?fields[]=title&embed=author'), {
    title: 'One',
    author: ann,
  })
  const url = '/posts/1?fields=title'
  const { body, headers } = await app.inject(url)
  assert.equal(body, '{"title":"One"}')
  for (const other of ['/posts/1', '/posts/1?fields=id'])
    assert.notEqual((await app.inject(other)).headers.etag, headers.etag)
  const ifNoneMatch = { 'if-none-match': String(headers.etag) }
  assert.equal((await app.inject({ url, headers: ifNoneMatch })).statusCode, 304)
  await app.inject({ method: 'PATCH', url: '/posts/1', payload: { title: 'Changed' } })
  assert.equal((await app.inject({ url, headers: ifNoneMatch })).body, '{"title":"Changed"}')
})

const bad = [
  'fields=nothing',
  'embed=nothing',
  '_embed=__proto__',
  'embed=authorId',
  'embed=author.nothing',
  'embed=comments.post.comments.post',
  'embed=author,comments,postTags,author.posts,comments.author,comments.post,postTags.tag,comments.post.author,comments.post.postTags,comments.author.posts,author.comments',
]
for (const query of bad) {
  test(`${query} gets 400`, async () => {
    for (const path of ['/posts', '/posts/1'])
      for (const type of ['', '.json', '.html', '.txt']) {
        const { statusCode, body } = await blog().inject(`${path}${type}?${query}`)
        assert.equal(statusCode, 400, path + type)
        assert.match(body, /(embed|fields) (has the unknown (relation|field)|must)/)
      }
  })
}

test('links to other pages keep what is embedded', async () => {
  const first = await blog().inject('/posts?per_page=2&embed=author')
  const [, next = ''] = /<([^>]*)>; rel="next"/.exec(String(first.headers.link)) ?? []
  assert.deepEqual(await readBlog(next), [{ ...post, id: 3, title: 'Three', author: ann }])
})

for (const url of [
  '/posts/1?embed=author',
  '/posts?per_page=9&embed=author',
  '/posts?embed=author',
  '/posts/1',
]) {
  test(`the tag of ${url} changes with the author, also by another process`, async (t) => {
    const settings = { DATABASE_URL: await temporaryDatabase(t) }
    const { app } = await openFilledBlog(t, settings)
    const { app: other } = await openBlog(t, settings)
    // A page has the name of the parent.
    const accept = url === '/posts/1' ? 'text/html' : 'application/json'
    const tags = new Set<unknown>()
    for (const [index, writer] of [app, other, app].entries()) {
      const name = `Name ${String(index)}`
      await writer.inject({ method: 'PATCH', url: '/authors/1', payload: { name } })
      const { headers, body } = await app.inject({ url, headers: { accept } })
      assert.ok(body.includes(name))
      tags.add(headers.etag)
      const validator = { accept, 'if-none-match': String(headers.etag) }
      assert.equal((await app.inject({ url, headers: validator })).statusCode, 304)
    }
    assert.equal(tags.size, 3)
  })
}

test('a password is not embedded, and more than 5,000 records get 400', async (t) => {
  const { app, add } = await openBlog(t)
  await add('authors', { name: 'Ann' })
  const create = () =>
    app.inject({ method: 'POST', url: '/posts', payload: { title: 'x', authorId: 1 } })
  await Promise.all(Array.from({ length: 80 }, create))
  assert.equal((await app.inject('/posts?embed=author.posts&per_page=10')).statusCode, 200)
  const response = await app.inject('/posts?embed=author.posts')
  assert.equal(response.statusCode, 400)
  assert.match(response.body, /More than 5,000 records/)
})

test('a list of more than 1,000 records embeds in pages only', async (t) => {
  const { app, add } = await openBlog(t)
  const create = () => app.inject({ method: 'POST', url: '/tags', payload: { name: 'x' } })
  for (let count = 0; count < 1000; count += 50)
    await Promise.all(Array.from({ length: 50 }, create))
  assert.equal((await app.inject('/tags?embed=postTags')).statusCode, 200)
  await add('tags', { name: 'x' })
  const response = await app.inject('/tags?embed=postTags')
  assert.equal(response.statusCode, 400)
  assert.match(response.body, /with per_page/)
  assert.equal((await app.inject('/tags?embed=postTags&per_page=1000')).statusCode, 200)
})

test('the error for an unknown parameter of a list names embed', async () => {
  const { statusCode, body } = await blog().inject('/posts?embedd=author')
  assert.equal(statusCode, 400)
  assert.match(body, /Other parameters: page, per_page, sort, q, fields, after, embed\./)
})

const users = [
  { id: 1, name: 'Ann', posts: 'many' },
  { id: 2, name: 'Bob' },
]
const stored = [
  { id: 1, userId: 1, user: 'ann' },
  { id: 2, userId: 2 },
  { id: 3, userId: 9, user: null },
]
const hidden: [url: string, expected: unknown][] = [
  ['/posts/1?embed=user', stored[0]],
  ['/posts/2?_expand=user', { ...stored[1], user: users[1] }],
  ['/posts/3?embed=user', stored[2]],
  ['/posts?embed=user', [stored[0], { ...stored[1], user: users[1] }, stored[2]]],
  ['/users?_embed=posts', [users[0], { ...users[1], posts: [stored[1]] }]],
  ['/users/2?embed=posts.user', { ...users[1], posts: [{ ...stored[1], user: users[1] }] }],
  ['/notes/1?embed=post.user', { id: 1, postId: 1, post: stored[0] }],
  ['/notes/1?embed=post', { id: 1, postId: 1, post: stored[0] }],
]

const hiding = useApp({}, (t) =>
  dataApp(t, { users, posts: stored, notes: [{ id: 1, postId: 1 }] }),
)
for (const [url, expected] of hidden) {
  test(`${url} does not hide a stored field with the name of a relation`, async () => {
    const app = hiding()
    assert.deepEqual((await app.inject(url)).json(), expected)
    if (!Array.isArray(expected)) return
    const lines = await app.inject(url.replace('?', '.ndjson?per_page=3&'))
    const records = lines.body.trim().split('\n')
    assert.deepEqual(
      records.map((line): unknown => JSON.parse(line)),
      expected,
    )
    const csv = await app.inject(url.replace('?', '.csv?'))
    assert.match(csv.body, /ann|many/)
  })
}
