import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'

const post = (id: unknown, others: object = {}) => ({ id, title: `Post ${String(id)}`, ...others })

const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown

const rejected: Readonly<Record<string, [contents: unknown, message: RegExp]>> = {
  'no JSON': ['{"posts": [', /db\.json cannot be read as JSON: /],
  'an array': [[], /db\.json: \/ must be an object/],
  'U+0000': [{ posts: [post(1, { a: '\0' })] }, /\/posts\/0 Text must not contain the character/],
  'half a surrogate pair': ['{"posts":[{"id":1,"a":"\\ud800"}]}', /half a surrogate pair/],
  'deep nesting': [{ posts: [post(1, { a: nested(100) })] }, /nested deeper than 64/],
  'very deep nesting': ['['.repeat(1e6), /nested deeper than 64/],
  'a member __proto__': [
    '{"posts":[{"__proto__":{"a":1}}]}',
    /cannot be read as JSON: .*forbidden/,
  ],
  'a resource __proto__': ['{"__proto__":[]}', /cannot be read as JSON: .*forbidden/],
  '201 resources': [
    Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`r${String(index)}`, []])),
    /\/ has more than 200 resources/,
  ],
  'a resource with the path of another': [
    { posts: [], 'posts.json': [] },
    /\/posts\.json is a path of the resource posts/,
  ],
  'a field without a name': [{ posts: [post(1, { '': 1 })] }, /\/posts has a field without a name/],
  ...Object.fromEntries(
    ['health', 'docs', 'assets', 'problems', 'inspector', 'b', 's', 'openapi.json', '_vitrine'].map(
      (name) => [`the resource ${name}`, [{ [name]: [] }, / is a path of the service/]],
    ),
  ),
  ...Object.fromEntries(
    ['', '.', '..', 'a/b', 'a*', 'a?', 'a#', 'a\n', '\ud800', 'x'.repeat(201)].map((name) => [
      `the resource ${name.slice(0, 20)}`,
      [{ [name]: [] }, / cannot be the segment of a path/],
    ]),
  ),
}

for (const [what, [contents, message]] of Object.entries(rejected)) {
  test(`a data file with ${what} is an error with its place`, async (t) => {
    await assert.rejects(dataApp(t, contents), (error: Error) => {
      assert.match(error.message, message)
      assert.ok(error.message.length < 1000)
      return true
    })
  })
}

const invalidJson: [contents: string, reason: string][] = [
  ['{\n  "posts": [,]}', "Unexpected token ',' (line 2 column 13)"],
  ['{"posts": [],\n "a": NaN}', "Unexpected token 'N' (line 2 column 7)"],
  ['{"posts": [\n"a": NaN, a": NaN', "Expected ',' or ']' after array element"],
  ['["0123 [1,,2,,3]",\n 0123, [1,,2,,3]]', 'Unexpected number in JSON'],
  ['["]\\"[1, x, 2, 3]",\n  "]", [1, x, 2, 3]]', "Unexpected token 'x' (line 2 column 12)"],
  ['{"posts": [\n', 'Unexpected end of JSON input (line 2 column 1)'],
  ['', 'Unexpected end of JSON input (line 1 column 1)'],
  ['undefined', 'Unexpected text (line 1 column 1)'],
]
for (const [contents, reason] of invalidJson) {
  test(`the error of ${JSON.stringify(contents)} has its line and its column`, async (t) => {
    for (const [data, options] of [
      [contents, {}],
      [{ posts: [] }, { schema: contents }],
    ] as const) {
      await assert.rejects(dataApp(t, data, options), ({ message }: Error) => {
        assert.ok(message.includes(`cannot be read as JSON: ${reason}`), message)
        assert.match(message, /\(line \d+ column \d+\)$/)
        return true
      })
    }
  })
}

test('a number that JSON does not have is an error', async (t) => {
  const contents = '{"posts": [{"id": 1, "a": 1e400}]}'
  await assert.rejects(dataApp(t, contents), /a is a number that JSON does not have/)
})

const bomb = Array.from({ length: 9 }, (_, index) => {
  const item = index === 0 ? 'x' : `*a${String(index - 1)}`
  return `a${String(index)}: &a${String(index)} [${Array.from({ length: 9 }, () => item).join()}]`
})

const manyKeys = Array.from({ length: 100_000 }, (_, index) => `k${String(index)}: 1`).join()

const rejectedYaml: Readonly<Record<string, [contents: string, message: RegExp]>> = {
  'an alias bomb': [bomb.join('\n'), /Excessive alias count/],
  'a cycle': ['posts: &a [{id: 1, self: *a}]', /cannot be read as YAML/],
  'a tag of its own': ['posts: !!js/function "f"', /Unresolved tag/],
  'the same key twice': ['posts: []\nposts: []', /a map has the key posts twice/],
  // Took minutes when the keys of a map were compared in pairs.
  'very many keys in a map': [`things: [{${manyKeys}}]`, /has more than 500/],
  'a key that is a list': ['? [a]\n: 1', /all keys must be strings/],
  'the same key twice in a map within': ['posts: [{id: 1, a: {b: 1, b: 2}}]', /the key b twice/],
  infinity: ['posts: [{id: 1, a: .inf}]', /a is a number that JSON does not have/],
  'two documents': ['a: []\n---\nb: []', /multiple documents/],
  'deep nesting': [`a: ${'['.repeat(5000)}${']'.repeat(5000)}`, /nested/],
  'a member __proto__': ['posts: [{id: 1, __proto__: {a: 1}}]', /forbidden/],
}

for (const [what, [contents, message]] of Object.entries(rejectedYaml)) {
  test(`a YAML file with ${what} is an error`, async (t) => {
    await assert.rejects(dataApp(t, contents, { name: 'db.yml' }), message)
  })
}

test('in OpenAPI every resource but a closed one has unknown fields', async (t) => {
  const schema = { posts: { additionalProperties: false, properties: { title: {} } } }
  const app = await dataApp(t, { posts: [{ id: 1, title: 'A' }], empty: [] }, { schema })
  const { components } = (await app.inject('/openapi.json')).json<{
    components: { schemas: Record<string, { additionalProperties?: boolean }> }
  }>()
  for (const suffix of ['', 'Input', 'Replacement', 'Changes', 'Part']) {
    assert.equal(components.schemas[`Post${suffix}`]?.additionalProperties, undefined)
    assert.equal(components.schemas[`Empty${suffix}`]?.additionalProperties, true)
  }
})

const address = { city: 'Rome', zip: '1' }
const patches: readonly [type: string, dialect: string, result: object][] = [
  ['application/json', '', { city: 'Oslo' }],
  ['application/merge-patch+json', '', { ...address, city: 'Oslo' }],
  ['application/json', '0.17', { city: 'Oslo' }],
  ['application/json', '1', { city: 'Oslo' }],
  ['application/merge-patch+json', '1', { city: 'Oslo' }],
]
for (const [type, dialect, result] of patches) {
  test(`PATCH of an object with ${type}, json-server ${dialect || 'off'}`, async (t) => {
    const settings = { JSON_SERVER: dialect }
    const app = await dataApp(t, { people: [{ id: 1, address }] }, { settings })
    const response = await app.inject({
      method: 'PATCH',
      url: '/people/1',
      headers: { 'content-type': type },
      payload: '{"address":{"city":"Oslo"}}',
    })
    assert.deepEqual(response.json<{ address: unknown }>().address, result)
  })
}

test('a field of a part of a record has no default, which types would require', async (t) => {
  const state = { enum: ['draft', 'published'], default: 'draft' }
  const schema = { posts: { properties: { state } } }
  const app = await dataApp(t, { posts: [] }, { schema })
  const { components } = (await app.inject('/openapi.json')).json<{
    components: { schemas: Record<string, { properties: Record<string, { default?: unknown }> }> }
  }>()
  const toDefault = (name: string) => components.schemas[name]?.properties.state?.default
  assert.deepEqual(['Post', 'PostPart'].map(toDefault), ['draft', undefined])
})
