import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'

const slow = `${'a'.repeat(60)}!`
const code = { pattern: '^(a+)+$' }
const repeated = Array.from({ length: 200_000 }, () => 1)
const tooSlow =
  'takes more than 100 ms to check: make it shorter, or change the pattern or uniqueItems of the schema'

const bodies: Readonly<Record<string, [schema: object, body: object, pointer: string]>> = {
  'a pattern of a field': [{ properties: { code } }, { code: slow }, '#/code'],
  'a pattern in a list': [{ properties: { a: { items: code } } }, { a: [slow] }, '#/a'],
  'a pattern in allOf': [{ allOf: [{ properties: { code } }] }, { code: slow }, '#'],
  patternProperties: [{ patternProperties: { [code.pattern]: {} } }, { [slow]: 1 }, '#'],
  'a pattern of propertyNames': [{ propertyNames: code }, { [slow]: 1 }, '#'],
  uniqueItems: [{ properties: { a: { uniqueItems: true } } }, { a: repeated }, '#/a'],
}

for (const [what, [rules, payload, pointer]] of Object.entries(bodies)) {
  test(`a body that takes too long to check against ${what} gets 422`, async (t) => {
    const app = await dataApp(t, { posts: [] }, { schema: { posts: rules } })
    const response = await app.inject({ method: 'POST', url: '/posts', payload })
    assert.equal(response.statusCode, 422)
    const { errors } = response.json<{ errors: unknown }>()
    assert.deepEqual(errors, [{ detail: tooSlow, pointer }])
  })
}

const schema = { posts: { properties: { code } } }
const form = 'application/x-www-form-urlencoded'
const patch = 'application/json-patch+json'
const operations = JSON.stringify([{ op: 'add', path: '/code', value: slow }])

const writes = {
  'PUT /posts/1': ['application/json', JSON.stringify({ code: slow }), ''],
  'PATCH /posts/1': [patch, operations, ''],
  'POST /posts': [form, `code=${slow}`, ''],
  'POST /posts of json-server 0.17': [form, `code=${slow}`, '0.17'],
  'PATCH /posts/1 of json-server 1': ['application/json', JSON.stringify({ code: slow }), '1'],
} as const

for (const [what, [type, payload, JSON_SERVER]] of Object.entries(writes)) {
  test(`${what} gets 422 if a pattern takes too long, and changes nothing`, async (t) => {
    const settings = { JSON_SERVER }
    const app = await dataApp(t, { posts: [{ id: 1, code: 'a' }] }, { schema, settings })
    const [method, url = ''] = what.split(' ')
    const response = await app.inject({
      method: method as 'POST',
      url,
      payload,
      headers: { 'content-type': type },
    })
    assert.equal(response.statusCode, 422)
    assert.match(response.body, /code takes more than 100 ms to check/)
    assert.equal((await app.inject('/posts/1')).json<{ code: unknown }>().code, 'a')
  })
}

test('a record of the file that takes too long to check is named', async (t) => {
  const posts = [{ code: 'a' }, { code: slow }, { code: 'a' }]
  await assert.rejects(dataApp(t, { posts }, { schema }), {
    message: /db\.json: \/posts\/1\/code takes more than 100 ms to check/,
  })
})
