import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/data-app.ts'

const schema = {
  posts: {
    title: 'Articles',
    required: ['title'],
    properties: {
      id: { type: 'integer' },
      title: { type: 'string', title: 'Headline', minLength: 3, maxLength: 20 },
      slug: { type: 'string', pattern: '^[a-z-]+$', 'x-unique': true },
      state: { enum: ['draft', 'published'], default: 'draft' },
      views: { type: 'integer', readOnly: true, default: 0 },
      token: { type: 'string', writeOnly: true },
      authorId: { type: 'integer', 'x-references': { resource: 'authors', onDelete: 'cascade' } },
    },
  },
}
const authors = [{ id: 1, name: 'Ann' }]
const posts = [{ id: 1, title: 'One', slug: 'one', state: 'draft', authorId: 1, extra: true }]

for (const [where, contents, options] of [
  ['in the file', { $schema: schema, posts, authors }, {}],
  ['in a file of its own', { posts, authors }, { schema }],
  ['as YAML', { posts, authors }, { schema: JSON.stringify(schema) }],
] as const) {
  test(`a schema ${where} has titles, limits, defaults and read-only fields`, async (t) => {
    const app = await dataApp(t, contents, options)
    const create = async (payload: object) =>
      app.inject({ method: 'POST', url: '/posts', payload: { authorId: 1, ...payload } })
    const created = await create({ title: 'Two', slug: 'two', views: 9, token: 'secret' })
    const record = { id: 2, title: 'Two', slug: 'two', state: 'draft', views: 0, authorId: 1 }
    assert.deepEqual(created.json(), record)
    for (const payload of [{ title: 'ab' }, { title: 'abc', slug: 'A' }, {}]) {
      assert.equal((await create(payload)).statusCode, 422)
    }
    const form = (await app.inject({ url: '/posts/new', headers: { accept: 'text/html' } })).body
    assert.match(form, /<label for="title">Headline</)
    assert.match(form, /<option value="draft" selected>/)
    assert.match(form, /type="password"/)
    assert.doesNotMatch(form, /Views/)
    const list = (await app.inject({ url: '/posts', headers: { accept: 'text/html' } })).body
    assert.match(list, /<h1>Articles<\/h1>/)
    assert.deepEqual((await app.inject('/posts/1')).json(), { ...posts[0] })
  })
}

test('a 422 names every invalid field', async (t) => {
  const names = Array.from({ length: 20 }, (_, number) => `field${String(number)}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
  const app = await dataApp(t, { posts: [] }, { schema: { posts: { properties } } })
  const payload = Object.fromEntries(names.map((name) => [name, 'x']))
  const response = await app.inject({ method: 'POST', url: '/posts', payload })
  assert.equal(response.statusCode, 422)
  const { errors } = response.json<{ errors: { pointer: string }[] }>()
  assert.deepEqual(
    errors.map(({ pointer }) => pointer.slice('#/'.length)),
    names,
  )
})

test('a URL in $schema is for editors, and a resource can be in the schema only', async (t) => {
  const $schema = 'https://example.org/schema.json'
  const app = await dataApp(t, { $schema, posts }, { schema: { tags: { properties: {} } } })
  assert.deepEqual((await app.inject('/posts')).json(), posts)
  assert.deepEqual((await app.inject('/tags')).json(), [])
})

const rejected: Readonly<Record<string, [contents: object, schema: unknown, messages: string[]]>> =
  {
    'data that do not fit': [
      {
        posts: [
          { id: 1, title: 'a' },
          { id: 2, slug: '1', state: 'x' },
        ],
        authors,
      },
      schema,
      [
        'db.json: /posts/0/title must be at least 3 characters long',
        'db.json: /posts/1/title is required',
        'db.json: /posts/1/slug must match pattern "^[a-z-]+$"',
        'db.json: /posts/1/state must be one of draft, published',
      ],
    ],
    'a value that is not unique': [
      { posts: [...posts, { ...posts[0], id: 2 }], authors },
      schema,
      ['db.json: /posts/1/slug is the value of another record'],
    ],
    'a reference to nothing': [
      { posts: [{ ...posts[0], authorId: 7 }], authors },
      schema,
      ['db.json: /posts/0/authorId is not an id of authors'],
    ],
    'a reference to no resource': [
      { posts },
      schema,
      ['db.json: /posts authorId refers to authors, which is not a list in the file'],
    ],
    'an unknown field in a closed schema': [
      { posts },
      { posts: { properties: { title: {} }, additionalProperties: false } },
      ['slug', 'state', 'authorId', 'extra'].map(
        (name) => `db.json: /posts/0/${name} is not a field of the schema`,
      ),
    ],
    'a schema that is not one': [
      { posts },
      { posts: { properties: { title: { type: 'text', minLength: -1 } } } },
      [
        'schema.json: /posts/properties/title/type must be one of string, number, integer, boolean, array, object, null',
        'schema.json: /posts/properties/title/minLength must be at least 0',
      ],
    ],
    'a reference between schemas': [
      { posts },
      { posts: { properties: { a: { $ref: '#' } } } },
      ['schema.json: /posts/properties/a/$ref is not allowed'],
    ],
    'a misspelt keyword at any depth': [
      { posts },
      {
        posts: {
          propertys: {},
          properties: {
            title: { minimun: 1, pattren: '(', 'x-uniqe': true },
            'a/b': { anyOf: [{ nullable: true }], items: { requird: ['a'] } },
          },
          allOf: [{ not: { type: 'array', tyep: 'string' } }],
        },
      },
      [
        'propertys is an unknown keyword: the nearest is properties',
        'properties/title/minimun is an unknown keyword: the nearest is minimum',
        'properties/title/pattren is an unknown keyword: the nearest is pattern',
        'properties/title/x-uniqe is an unknown keyword: the nearest is x-unique',
        'properties/a~1b/anyOf/0/nullable is an unknown keyword',
        'properties/a~1b/items/requird is an unknown keyword: the nearest is required',
        'allOf/0/not/tyep is an unknown keyword: the nearest is type',
      ].map((line) => `schema.json: /posts/${line}`),
    ],
    'a keyword of the record itself on a field inside another': [
      { posts },
      {
        posts: {
          properties: {
            lines: { items: { properties: { sku: { 'x-unique': true } } } },
            author: { properties: { id: { 'x-references': 'authors' } } },
          },
        },
      },
      ['lines/items/properties/sku/x-unique', 'author/properties/id/x-references'].map(
        (path) =>
          `schema.json: /posts/properties/${path} is allowed only on a field of the record itself`,
      ),
    ],
    'a required field that is none': [
      { posts: [...posts, { id: 2 }], profile: { name: 'x' } },
      { posts: { required: ['id', 'tilte', 'x'] }, profile: { required: ['name', 'age'] } },
      [
        'db.json: /posts tilte is required and is not a field; did you mean title?',
        'db.json: /posts x is required and is not a field',
        'db.json: /profile age is required and is not a field',
      ],
    ],
    'a required reference that is null': [
      { posts: [...posts, { id: 2, authorId: null }], authors },
      {
        posts: { required: ['authorId'], properties: { authorId: { 'x-references': 'authors' } } },
      },
      ['db.json: /posts/1/authorId must be a whole number'],
    ],
    'every kind of problem': [
      {
        posts: [{ id: 1, title: 'a', authorId: 7, profileId: 1, tagId: 1 }],
        authors: [{ id: 1 }, { id: 1 }],
        profile: {},
        $responses: { 'GET x': {} },
      },
      {
        posts: {
          properties: {
            title: { minLength: 3 },
            slug: { pattern: '(' },
            authorId: { 'x-references': 'authors' },
            profileId: { 'x-references': 'profile' },
            tagId: { 'x-references': 'tags' },
          },
        },
      },
      [
        'schema.json: /posts/properties/slug/pattern is not a regular expression',
        'db.json: /posts/0/title must be at least 3 characters long',
        'db.json: /authors/1/id is also the id of /authors/0',
        'db.json: /posts/0/authorId is not an id of authors',
        'db.json: /posts profileId refers to profile, which is not a list in the file',
        'db.json: /posts tagId refers to tags, which is not a list in the file',
        'db.json: /$responses/"GET x" must be GET, POST, PUT, PATCH or DELETE and a path, like "POST /orders/:id/pay"',
      ],
    ],
    'a pattern that is not one': [
      { posts },
      { posts: { properties: { title: { pattern: '(' } } } },
      ['schema.json: /posts/properties/title/pattern is not a regular expression'],
    ],
    'keywords with values of another kind, at any depth': [
      { posts },
      {
        posts: {
          allOf: [{ not: { $ref: '#/a' } }, { type: 'strin' }],
          anyOf: 'x',
          not: 5,
          if: { $defs: {} },
          dependentRequired: 5,
          patternProperties: { '(': {} },
          properties: { title: { multipleOf: 0, prefixItems: {} } },
        },
      },
      [
        'dependentRequired must be an object',
        'if/$defs is not allowed',
        'not must be an object',
        'allOf/0/not/$ref is not allowed',
        'allOf/1/type must be one of string, number, integer, boolean, array, object, null',
        'anyOf must be a list',
        'properties/title/multipleOf must be > 0',
        'properties/title/prefixItems must be a list',
        'patternProperties/( is not a regular expression',
      ].map((line) => `schema.json: /posts/${line}`),
    ],
    'a list of schemas': [
      { posts },
      [],
      ['schema.json: / must be an object with a JSON Schema for each resource'],
    ],
  }

for (const [what, [contents, given, messages]] of Object.entries(rejected)) {
  test(`${what} stops the start with every problem`, async (t) => {
    await assert.rejects(dataApp(t, contents, { schema: given }), ({ message }: Error) => {
      const lines = message.replaceAll(/\S*\/(?=(db|schema)\.json)/g, '').split('\n')
      assert.deepEqual(lines, messages)
      return true
    })
  })
}

test('values of an enum that are no text are JSON in a 422', async (t) => {
  const properties = { size: { enum: [1, null, { cm: 2 }] } }
  const app = await dataApp(t, { posts: [] }, { schema: { posts: { properties } } })
  const response = await app.inject({ method: 'POST', url: '/posts', payload: { size: 3 } })
  assert.match(response.body, /must be one of 1, null, \{\\"cm\\":2\}/)
})

test('a schema with an unknown format of text stops the start with the known ones', async (t) => {
  const properties = { count: { type: 'integer', format: 'int32' }, mail: { format: 'e-mail' } }
  await assert.rejects(
    dataApp(t, { posts }, { schema: { posts: { properties } } }),
    /schema.json: \/posts\/properties\/mail\/format is an unknown format: the nearest is email\. Formats: date-time, date, .*uuid$/,
  )
})

const withDefault: [method: 'POST' | 'PUT' | 'PATCH', state: string | undefined][] = [
  ['POST', 'draft'],
  ['PUT', 'draft'],
  ['PATCH', undefined],
]
for (const [method, state] of withDefault) {
  test(`${method} with null for a field that does not accept it, and has a default`, async (t) => {
    const app = await dataApp(t, { $schema: schema, posts, authors })
    const url = method === 'POST' ? '/posts' : '/posts/1'
    const payload = { title: 'Two', state: null }
    const response = await app.inject({ method, url, payload })
    assert.equal(response.json<{ state?: string }>().state, state)
  })
}

test('a 422 has the place of each problem inside a field', async (t) => {
  const lines = [
    { sku: 'a', quantity: 1, 'a/b': { c: 1 } },
    { sku: 'b', quantity: 2 },
  ]
  const app = await dataApp(t, { orders: [{ id: 1, lines }] })
  const payload = { lines: [{ sku: 'a', quantity: 'x', 'a/b': { c: '' } }, { sku: 'b' }] }
  const request = { method: 'PATCH', url: '/orders/1', payload } as const
  const { errors } = (await app.inject(request)).json<{ errors: object[] }>()
  assert.deepEqual(errors, [
    { detail: 'must be a whole number', pointer: '#/lines/0/quantity' },
    { detail: 'must be a whole number', pointer: '#/lines/0/a~1b/c' },
    { detail: 'is required', pointer: '#/lines/1/quantity' },
  ])
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const form = { ...request, headers, payload: `lines=${JSON.stringify(payload.lines)}` }
  assert.match((await app.inject(form)).body, /id="lines-problem">Lines\[0\]\.quantity must be/)
})

test('annotations and names of fields are no unknown keywords', async (t) => {
  const annotations = {
    $comment: 'c',
    $id: 'https://example.org/a',
    title: 't',
    description: 'd',
    examples: [{ minimun: 1, pattern: '(' }],
    default: { pattern: '(' },
    deprecated: false,
    'x-order': 1,
  }
  const properties = { minimun: annotations, pattern: { enum: ['('] }, items: { const: 1 } }
  const app = await dataApp(t, { posts: [{ id: 1 }] }, { schema: { posts: { properties } } })
  assert.equal((await app.inject('/posts/1')).statusCode, 200)
})

test('a problem of the member $schema has its place in the file', async (t) => {
  const $schema = { posts: { properties: { title: { minimun: 1 } } } }
  const message = /\/\$schema\/posts\/properties\/title\/minimun is an unknown keyword/
  await assert.rejects(dataApp(t, { posts, $schema }), { message })
})

test('a schema whose name is near to a resource without a schema is a problem', async (t) => {
  const schema = { prodcuts: { required: ['name'] } }
  await assert.rejects(
    dataApp(t, { products: [{ id: 1 }] }, { schema }),
    /: \/ has no resource prodcuts, which the schema names; did you mean products\?/,
  )
})
