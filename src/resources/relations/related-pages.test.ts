import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBlog, openFilledBlog, type Blog } from '../../../test/support/blog.ts'
import { asForm } from '../../../test/support/resources.ts'

const readPage = async ({ app }: Blog, url: string) =>
  (await app.inject({ url, headers: { accept: 'text/html' } })).body

test('the page of a record links to its parents by name', async (t) => {
  const blog = await openFilledBlog(t)
  const page = await readPage(blog, '/posts/1')
  assert.match(page, /<dt>authorId<\/dt><dd dir="auto"><a href="\/authors\/1">Ann<\/a><\/dd>/)
  assert.match(page, /<a href="\/authors\/2">Bob<\/a>/)
  const list = await readPage(blog, '/posts')
  assert.match(list, /<a href="\/authors\/1">Ann<\/a>/)
})

test('the page of a record lists its first children, with links to all and to a new one', async (t) => {
  const blog = await openFilledBlog(t)
  for (let count = 0; count < 10; count += 1)
    await blog.add('comments', { body: `Comment ${String(count)}`, postId: 1 })
  const page = await readPage(blog, '/posts/1')
  assert.match(page, /<h2>Comments<\/h2>/)
  assert.match(page, /<a href="\/comments\/1" dir="auto" title="Yes">Yes<\/a>/)
  assert.equal(page.match(/<th scope="row"><a href="\/comments\/\d+" /g)?.length, 10)
  assert.match(page, /<a href="\/comments\?postId=1">All 12 comments<\/a>/)
  assert.match(page, /href="\/comments\/new\?postId=1"/)
  assert.match(await readPage(blog, '/posts/3'), /<a href="\/comments\?postId=3">0 comments<\/a>/)
})

test('the table of related records has names for ids, and no column for the record itself', async (t) => {
  const blog = await openFilledBlog(t)
  const page = await readPage(blog, '/posts/1')
  const [, head, row] =
    /<h2>Comments<\/h2>\n.*\n<thead>(.*)<\/thead>\n<tbody>\n(.*)\n/.exec(page) ?? []
  assert.deepEqual(head?.match(/(?<=>)\w+(?=<)/g), ['body', 'authorId', 'ID'])
  assert.match(row ?? '', />Yes<.*<a href="\/authors\/2">Bob<\/a>.*>1</)
})

test('a filter by the id of a parent is shown with its name', async (t) => {
  const blog = await openFilledBlog(t)
  for (const [query, words] of [
    ['authorId=1', 'authorId is Ann'],
    ['authorId:ne=2', 'authorId is not Bob'],
    ['authorId:in=1,2', 'authorId is Ann or Bob'],
    ['authorId=9', 'authorId is “9”'],
    ['authorId=9&editor=2', 'editor is Bob'],
    ['title=1', 'title is “1”'],
  ] as const)
    assert.ok((await readPage(blog, `/posts?${query}`)).includes(`>${words}</a>`), words)
})

test('a record that joins others is named by them', async (t) => {
  const blog = await openFilledBlog(t)
  const page = await readPage(blog, '/posts/1')
  assert.match(
    page,
    /<a href="\/postTags\/2" [^>]*>2<\/a><\/th><td[^>]*><a href="\/tags\/2">code<\/a><\/td>/,
  )
  assert.match(await readPage(blog, '/tags/2'), /<a href="\/posts\/2">Two<\/a>/)
  assert.match(await readPage(blog, '/postTags/3'), /<h1>3<\/h1>/)
})

test('a form chooses a parent by name, without JavaScript', async (t) => {
  const blog = await openFilledBlog(t)
  const form = await readPage(blog, '/posts/new')
  const options = '<option value="1">Ann</option><option value="2">Bob</option></select>'
  assert.ok(form.includes(`<option value="" selected>No value</option>${options}`))
  assert.match(form, /<select id="authorId" name="authorId" required>/)
  assert.match(await readPage(blog, '/posts/new?authorId=2'), /<option value="2" selected>Bob/)
  const withMarks = await readPage(blog, '/posts/new?title=a?b&authorId=2')
  assert.match(withMarks, /<option value="2" selected>Bob/)
  assert.match(await readPage(blog, '/posts/1/edit'), /<option value="1" selected>Ann/)
  const payload = asForm({ title: 'x', authorId: '2', editor: '' })
  const created = await blog.app.inject({ method: 'POST', url: '/posts', ...payload })
  assert.equal(created.statusCode, 201)
  assert.match(created.body, /<a href="\/authors\/2">Bob<\/a>/)
  assert.match(await readPage(blog, '/posts?authorId=2'), /1 matching post/)
})

test('the page of a conflict has the names of both parents', async (t) => {
  const blog = await openFilledBlog(t)
  const { headers, payload } = asForm({ authorId: '2', _if_match: '"old"', _method: 'PATCH' })
  const response = await blog.app.inject({ method: 'POST', url: '/posts/1', headers, payload })
  assert.equal(response.statusCode, 412)
  const [mine, current] = ['<a href="/authors/2">Bob</a>', '<a href="/authors/1">Ann</a>']
  for (const link of [mine, current]) assert.ok(response.body.includes(`${link}</`))
})

test('a form with more than 100 parents has a field for the id, with suggestions', async (t) => {
  const blog = await openBlog(t)
  const authors = Array.from({ length: 101 }, (_, index) => ({ name: `Author ${String(index)}` }))
  await blog.add('authors', ...authors)
  const form = await readPage(blog, '/posts/new')
  assert.match(
    form,
    /<input id="authorId" name="authorId" required type="text"[^>]* list="authorId-choices"/,
  )
  assert.match(form, /<datalist id="authorId-choices"><option value="1">Author 0</)
  const chosen = await readPage(blog, '/posts/new?authorId=101')
  assert.match(chosen, /id="authorId-hint">Now: Author 100</)
})

test('hostile names and ids are escaped on pages', async (t) => {
  const blog = await openBlog(t)
  await blog.add('authors', { name: '<script>alert(1)</script>' })
  await blog.add('posts', { title: '"><img src=x>', authorId: 1 })
  for (const url of ['/posts/1', '/authors/1', '/posts/new', '/posts'])
    assert.doesNotMatch(await readPage(blog, url), /<script>alert|<img src=x>/)
})
