import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { authors, posts, schema } from '../../test/support/posts-schema.ts'

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
      [
        'db.json: /posts/1/authorId must be a number (inferred from db.json). To allow others, use a schema such as {"posts":{"properties":{"authorId":{"type":["string","number","integer","boolean","array","object","null"]}}}}',
      ],
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
        'db.json: /posts/0/authorId is not an id of authors',
        'db.json: /posts profileId refers to profile, which is not a list in the file',
        'db.json: /posts tagId refers to tags, which is not a list in the file',
        'db.json: /$responses/"GET x" must be a method and a path, like "POST /orders/:id/pay"',
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
        'not must be an object or true or false',
        'allOf/0/not/$ref is not allowed',
        'allOf/1/type must be one of string, number, integer, boolean, array, object, null',
        'anyOf must be a list',
        'properties/title/multipleOf must be greater than 0',
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
