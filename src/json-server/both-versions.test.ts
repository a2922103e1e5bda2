import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { asForm, browserAccept, temporaryDatabase } from '../../test/support/resources.ts'

for (const version of ['0.17', '1'] as const) {
  const settings = { settings: { JSON_SERVER: version } }

  test(`in ${version} at most 16 MiB are embedded in a record`, async (t) => {
    const toComment = (count: number) => (_: unknown, index: number) => ({
      id: `${String(count)}-${String(index)}`,
      postId: String(count),
      text: 'x'.repeat(900_000),
    })
    const comments = [2, 20].flatMap((count) => Array.from({ length: count }, toComment(count)))
    const posts = [{ id: '2' }, { id: '20' }]
    const app = await dataApp(t, { posts, comments }, settings)
    const few = await app.inject('/posts/2?_embed=comments')
    assert.equal(few.json<{ comments: unknown[] }>().comments.length, 2)
    const many = await app.inject('/posts/20?_embed=comments')
    assert.equal(many.statusCode, 400)
    assert.match(many.body, /16 MiB/)
  })

  test(`in ${version} the edit form keeps the types of values, and requires none`, async (t) => {
    const book = { id: '1', pages: 152, isNew: true, tags: ['a'], size: { w: 1 }, note: null }
    const app = await dataApp(t, { books: [book] }, settings)
    const headers = { accept: browserAccept }
    const { body } = await app.inject({ url: '/books/1/edit', headers })
    assert.match(body, /name="_method"/)
    assert.doesNotMatch(body, /data-patch| required/)
    const fields = { pages: '152', 'isNew[0]': 'false', 'isNew[1]': 'true', note: 'null' }
    const sent = asForm({ ...fields, tags: '["a"]', size: '{"w":1}', _method: 'PATCH' })
    const saved = await app.inject({
      method: 'POST',
      url: '/books/1/',
      payload: sent.payload,
      headers: { ...sent.headers, ...headers },
    })
    assert.equal(saved.statusCode, 303)
    assert.deepEqual((await app.inject('/books/1')).json(), book)
  })

  test(`in ${version} a slice of a list has its records once`, async (t) => {
    const posts = Array.from({ length: 90 }, (_, id) => ({ id: String(id) }))
    const app = await dataApp(t, { posts }, settings)
    const url = version === '1' ? '/posts?_page=2&_per_page=40' : '/posts?_start=40&_end=80'
    const body = (await app.inject(url)).json<unknown>()
    const found = version === '1' ? (body as { data: unknown }).data : body
    assert.deepEqual(found, posts.slice(40, 80))
  })

  test(`in ${version} every list has what another process has written before`, async (t) => {
    const posts = [{ id: 'p1', title: 'a' }]
    const comments = [{ id: '1', postId: 'p1', text: 'old' }]
    const DATABASE_URL = await temporaryDatabase(t)
    const shared = { settings: { ...settings.settings, DATABASE_URL } }
    const one = await dataApp(t, { posts, comments }, shared)
    const other = await dataApp(t, { posts, comments }, shared)
    const urls = [
      '/comments',
      '/comments?_sort=text',
      '/comments?postId=p1',
      version === '1' ? '/comments?_page=1' : '/comments?q=new&_limit=1',
      '/posts?_embed=comments',
    ]
    for (const text of ['new', 'newer']) {
      await other.inject({ method: 'PATCH', url: '/comments/1', payload: { text } })
      // A list is kept in memory after the first reads.
      for (const url of [...urls, ...urls, ...urls]) {
        assert.match((await one.inject(url)).body, new RegExp(`"${text}"`), url)
      }
    }
  })

  test(`in ${version} a list of several megabytes is filtered, sorted and embedded alike`, async (t) => {
    const toPost = (_: unknown, index: number) => ({
      id: String(index),
      kind: index % 2 === 0 ? 'even' : 'odd',
      text: 'x'.repeat(900_000),
    })
    const posts = Array.from({ length: 6 }, toPost)
    const comments = [{ id: '1', postId: '4' }]
    const app = await dataApp(t, { posts, comments }, settings)
    const descending = version === '1' ? '_sort=-id' : '_sort=id&_order=desc'
    const found = (await app.inject(`/posts?kind=even&${descending}`)).json<{ id: string }[]>()
    assert.deepEqual(
      found.map(({ id }) => id),
      ['4', '2', '0'],
    )
    const whole = (await app.inject('/posts')).json<{ id: string }[]>()
    assert.deepEqual(
      whole.map(({ id }) => id),
      ['0', '1', '2', '3', '4', '5'],
    )
    const related = version === '1' ? '_embed=post' : '_expand=post'
    const [comment] = (await app.inject(`/comments?${related}`)).json<{ post: object }[]>()
    assert.deepEqual(comment?.post, posts[4])
  })
}
