import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { findInvalid } from '../../test/support/valid-html.ts'

const authors = ['ann', 'bob', 'a b/c'].map((id) => ({ id, name: `Name of ${id}` }))
const posts = Array.from({ length: 9 }, (_, index) => {
  return { id: index + 1, title: `Post ${String(index)}`, author_id: authors[index % 3]?.id }
})

test('a reference is inferred from its name, and can have the id of a new record', async (t) => {
  const app = await dataApp(t, { authors, posts })
  const put = { method: 'PUT', url: '/authors/cy', payload: { name: 'Cy' } } as const
  assert.equal((await app.inject(put)).statusCode, 201)
  const url = '/posts/1?embed=author'
  const patch = { method: 'PATCH', url: '/posts/1', payload: { author_id: 'cy' } } as const
  assert.equal((await app.inject(patch)).statusCode, 200)
  assert.deepEqual((await app.inject(url)).json<{ author: unknown }>().author, {
    id: 'cy',
    name: 'Cy',
  })
  const other = await app.inject({ ...patch, payload: { author_id: 'dee' } })
  assert.equal(other.statusCode, 200)
  assert.equal((await app.inject(url)).json<{ author: unknown }>().author, null)
  assert.equal((await app.inject({ method: 'DELETE', url: '/authors/ann' })).statusCode, 409)
})

test('paths and pages below an id with a slash and a space work, and the HTML is valid', async (t) => {
  const app = await dataApp(t, { authors, posts })
  const children = await app.inject('/authors/a%20b%2Fc/posts')
  assert.equal(children.json<unknown[]>().length, 3)
  for (const url of ['/authors/a%20b%2Fc', '/posts/3', '/posts/new', '/posts', '/posts/3/edit']) {
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.deepEqual(await findInvalid(body, url), [])
  }
})

test('an inferred reference to a missing record loads; the record can be changed', async (t) => {
  const lost = posts.map((post) => ({ ...post, author_id: 'lost' }))
  const app = await dataApp(t, { authors, posts: lost })
  const embedded = (await app.inject('/posts/1?embed=author')).json<{ author: unknown }>()
  assert.equal(embedded.author, null)
  const patch = { method: 'PATCH', url: '/posts/1', payload: { title: 'x' } } as const
  assert.equal((await app.inject(patch)).statusCode, 200)
})

test('an object of the file is not referenced, and has no children', async (t) => {
  const records = [{ id: 1, profileId: 7 }]
  const app = await dataApp(t, { profile: { name: 'x' }, records })
  const payload = { profileId: 8 }
  const patch = await app.inject({ method: 'PATCH', url: '/records/1', payload })
  assert.equal(patch.statusCode, 200)
  assert.equal((await app.inject('/profile/records')).statusCode, 404)
})

test('a required field cannot be set null by a deletion', async (t) => {
  const field = { type: 'string', 'x-references': { resource: 'authors', onDelete: 'set null' } }
  const schema = { posts: { required: ['author_id'], properties: { author_id: field } } }
  await assert.rejects(dataApp(t, { authors, posts }, { schema }), /author_id is required/)
})

test('a field whose schema has no type has the type of the records', async (t) => {
  const records = [{ id: 1, authorId: 1 }]
  const properties = { authorId: { 'x-references': 'authors' } }
  const schema = { records: { required: ['authorId'], properties } }
  const app = await dataApp(t, { authors: [{ id: 1 }], records }, { schema })
  for (const [authorId, status] of [
    [null, 422],
    ['1', 422],
    [1, 201],
  ]) {
    const request = { method: 'POST', url: '/records', payload: { authorId } } as const
    assert.equal((await app.inject(request)).statusCode, status)
  }
})

test('missing references and taken unique values are reported together', async (t) => {
  const data = { authors, posts, posts2: [{ id: 1, author_id: 'ann', post_id: 1, slug: 'a' }] }
  const slug = { type: 'string', 'x-unique': true }
  const declared = {
    author_id: { 'x-references': 'authors' },
    post_id: { 'x-references': 'posts' },
  }
  const schema = { posts2: { properties: { ...declared, slug } } }
  const app = await dataApp(t, data, { schema })
  const payload = { author_id: 'x', post_id: 99, slug: 'a' }
  const response = await app.inject({ method: 'POST', url: '/posts2', payload })
  assert.equal(response.statusCode, 422)
  const { errors } = response.json<{ errors: { pointer: string }[] }>()
  const pointers = errors.map(({ pointer }) => pointer)
  assert.deepEqual(pointers, ['#/author_id', '#/post_id', '#/slug'])
})

const named: [list: string, field: string][] = [
  ['shelves', 'shelfId'],
  ['analyses', 'analysisId'],
  ['mice', 'mouseId'],
  ['operadora', 'operadoraId'],
  ['axes', 'axis_id'],
  ['bookShelves', 'book_shelf_id'],
]

for (const [list, field] of named) {
  test(`${field} refers to a record of ${list}`, async (t) => {
    const app = await dataApp(t, {
      [list]: [{ id: 1 }, { id: 2 }],
      kids: [
        { id: 1, [field]: 1 },
        { id: 2, [field]: 2 },
      ],
    })
    const kids = await app.inject(`/${list}/1/kids`)
    assert.deepEqual(kids.json(), [{ id: 1, [field]: 1 }])
    const removal = await app.inject({ method: 'DELETE', url: `/${list}/1` })
    assert.equal(removal.statusCode, 409)
  })
}
