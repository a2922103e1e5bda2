import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { asForm, browserAccept } from '../../test/support/resources.ts'

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
      ...{ method: 'POST', url: '/books/1/', payload: sent.payload },
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
}
