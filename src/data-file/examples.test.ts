import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'

test('the example of a new record is valid, whatever the schema requires', async (t) => {
  const required = ['code', 'serial', 'day', 'count', 'mail', 'size', 'at', 'kind', 'isNew', 'tags']
  const properties = {
    code: { type: 'string', 'x-unique': true },
    serial: { type: 'integer', 'x-unique': true },
    day: { type: 'string', format: 'date' },
    count: { type: 'integer', minimum: 5 },
    mail: { type: 'string', format: 'email' },
    size: { type: 'object', required: ['z'], properties: { z: { type: 'number' } } },
    at: { type: 'string', format: 'date-time' },
    kind: { enum: ['a', 'b'] },
    isNew: { type: 'boolean' },
    tags: { type: 'array', minItems: 2, items: { type: 'string', minLength: 12 } },
  }
  const boxes = [{ id: 1, code: 'c1', serial: 1, ...validBox }]
  for (const data of [{ boxes: [] }, { boxes }]) {
    const app = await dataApp(t, data, { schema: { boxes: { required, properties } } })
    const { paths } = (await app.inject('/openapi.json')).json<{ paths: Paths }>()
    const payload = paths['/boxes']?.post.requestBody.content['application/json'].example ?? {}
    const response = await app.inject({ method: 'POST', url: '/boxes', payload })
    assert.equal(response.statusCode, 201, response.body)
  }
})

test('the example of a schema with high limits is short', async (t) => {
  const texts = { type: 'array', minItems: 1e9, items: { type: 'string', minLength: 1e9 } }
  const schema = { boxes: { required: ['texts'], properties: { texts } } }
  const app = await dataApp(t, { boxes: [] }, { schema })
  assert.ok((await app.inject('/openapi.json')).body.length < 1e6)
})

test('the example of many arrays inside each other is short', async (t) => {
  let texts: object = { type: 'string' }
  for (let depth = 0; depth < 30; depth += 1) texts = { type: 'array', minItems: 3, items: texts }
  const schema = { boxes: { required: ['texts'], properties: { texts } } }
  const app = await dataApp(t, { boxes: [] }, { schema })
  assert.ok((await app.inject('/openapi.json')).body.length < 1e6)
})

const validBox = {
  day: '2026-11-21',
  count: 5,
  mail: 'ann@example.org',
  size: { z: 1 },
  kind: 'a',
  at: '2026-11-21T08:00:00Z',
  isNew: true,
  tags: ['twelve characters', 'twelve characters'],
}

type Paths = Partial<
  Record<
    string,
    { post: { requestBody: { content: Record<'application/json', { example: object }> } } }
  >
>
