import assert from 'node:assert/strict'
import { defineResource } from '../../src/resources/definition.ts'
import { type FieldSchema } from '../../src/http/openapi/json-schema.ts'
import type { ResourceReference } from '../../src/resources/definition.ts'
import { toResourceDemo } from '../../src/resources/routes.ts'
import { testApp, type OpeningTest } from './test-app.ts'

const text: FieldSchema = { type: 'string', minLength: 1, examples: ['a'] }
const id: FieldSchema = { type: ['integer', 'string'], examples: [1] }

interface Options {
  required?: string[]
  references?: readonly ResourceReference[]
  unique?: readonly string[]
}

function define(name: string, properties: Record<string, FieldSchema>, options: Options = {}) {
  const { required = [], ...others } = options
  return defineResource({
    name,
    singular: name === 'categories' ? 'category' : name.slice(0, -1),
    title: name.charAt(0).toUpperCase() + name.slice(1),
    summary: 'Records of a file.',
    idField: 'id',
    hasNumericIds: true,
    hasTimes: false,
    defaultType: 'application/json',
    usesEnvelope: false,
    schema: { type: 'object', required, properties },
    ...others,
  })
}

type Rule = ResourceReference['onDelete']
const to = (resource: string, field: string, onDelete: Rule = 'restrict') => ({
  field,
  resource,
  onDelete,
})

/** Resources with references of every rule, to themselves and through a joining resource. */
const resources = [
  define('authors', { name: text, email: text }, { unique: ['email'] }),
  define(
    'posts',
    { title: text, authorId: id, editor: id },
    {
      required: ['authorId'],
      references: [to('authors', 'authorId'), to('authors', 'editor', 'set null')],
    },
  ),
  define(
    'comments',
    { body: text, postId: id, authorId: { ...id, type: ['integer', 'string', 'null'] } },
    { references: [to('posts', 'postId', 'cascade'), to('authors', 'authorId', 'set null')] },
  ),
  define('tags', { name: text }),
  define(
    'postTags',
    { postId: id, tagId: id },
    { references: [to('posts', 'postId', 'cascade'), to('tags', 'tagId', 'cascade')] },
  ),
  define(
    'categories',
    { name: text, parentId: id },
    { references: [to('categories', 'parentId', 'cascade')] },
  ),
]

export async function openBlog(t: OpeningTest, settings: Record<string, string> = {}) {
  const demos = resources.map((resource) => toResourceDemo(resource, resources))
  const app = await testApp(t, { demos, settings })
  /** Creates records, whose ids count from 1. */
  const add = async (name: string, ...records: readonly object[]) => {
    for (const payload of records) {
      const { statusCode, body } = await app.inject({ method: 'POST', url: `/${name}`, payload })
      assert.equal(statusCode, 201, body)
    }
  }
  const read = async (url: string) => (await app.inject(url)).json<unknown>()
  return { app, add, read }
}

export type Blog = Awaited<ReturnType<typeof openBlog>>

/** Two authors, three posts of the first, comments of the first post, and tags. */
export async function openFilledBlog(t: OpeningTest, settings: Record<string, string> = {}) {
  const blog = await openBlog(t, settings)
  await blog.add(
    'authors',
    { name: 'Ann', email: 'ann@x.org' },
    { name: 'Bob', email: 'bob@x.org' },
  )
  const titles = ['One', 'Two', 'Three']
  await blog.add('posts', ...titles.map((title) => ({ title, authorId: 1, editor: 2 })))
  await blog.add(
    'comments',
    { body: 'Yes', postId: 1, authorId: 2 },
    { body: 'No', postId: 1, authorId: '1' },
  )
  await blog.add('tags', { name: 'news' }, { name: 'code' })
  await blog.add(
    'postTags',
    { postId: 1, tagId: 1 },
    { postId: 1, tagId: 2 },
    { postId: 2, tagId: 2 },
  )
  return blog
}
