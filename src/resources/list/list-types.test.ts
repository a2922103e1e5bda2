import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecord, openRecord } from '../../../test/support/resources.ts'
import { testApp } from '../../../test/support/test-app.ts'

const types = {
  csv: ['text/csv', 'text/csv; charset=utf-8; header=present'],
  ndjson: ['application/x-ndjson', 'application/x-ndjson'],
} as const

for (const [suffix, [accept, contentType]] of Object.entries(types)) {
  test(`a list is ${accept} for Accept: ${accept}, and at .${suffix}`, async (t) => {
    const app = await testApp(t)
    await createRecord(app, '/people', { name: 'Ann', password: 'x' })
    const negotiated = await app.inject({ url: '/people', headers: { accept } })
    const named = await app.inject(`/people.${suffix}`)
    for (const { statusCode, headers, body } of [negotiated, named]) {
      await t.test(body, () => {
        assert.equal(statusCode, 200)
        assert.equal(headers['content-type'], contentType)
        assert.equal(body, named.body)
        assert.doesNotMatch(body, /argon/)
      })
    }
    assert.match(String(negotiated.headers.vary), /\bAccept\b(?!-)/)
    const head = await app.inject({ method: 'HEAD', url: `/people.${suffix}` })
    assert.equal(head.headers['content-type'], contentType)
    assert.equal(head.body, '')
  })

  test(`an empty list is well-formed at .${suffix}`, async (t) => {
    const app = await testApp(t)
    for (const query of ['', '?page=1']) {
      await t.test(query, async () => {
        const { body } = await app.inject(`/people.${suffix}${query}`)
        assert.equal(body, suffix === 'csv' ? '_id,name,createdAt,updatedAt\r\n' : '')
      })
    }
  })
}

test('CSV has a header and a line for each record, and no formulas', async (t) => {
  const app = await testApp(t)
  const places = [
    { name: '=1+1', latitude: -1.5, longitude: 2, note: 'say "hi",\nthen go' },
    { name: '-5', note: '@home' },
  ]
  const made = []
  for (const place of places) made.push(await createRecord(app, '/places', place))
  const [one, other] = made
  const { body } = await app.inject('/places.csv')
  assert.equal(
    body,
    [
      '_id,name,latitude,longitude,note,createdAt,updatedAt',
      `${String(one?._id)},'=1+1,-1.5,2,"say ""hi"",\nthen go",${String(one?.createdAt)},${String(one?.updatedAt)}`,
      `${String(other?._id)},-5,,,'@home,${String(other?.createdAt)},${String(other?.updatedAt)}`,
      '',
    ].join('\r\n'),
  )
})

test('NDJSON has a line for each record, with the same objects as JSON', async (t) => {
  const app = await testApp(t)
  await createRecord(app, '/places', { name: 'a\nb', note: '\u2028' })
  await createRecord(app, '/places', { name: 'c', latitude: 1, longitude: 2 })
  const json = await app.inject('/places.json')
  const { body } = await app.inject('/places.ndjson')
  assert.ok(body.endsWith('\n'))
  const lines = body.split('\n').slice(0, -1)
  const results = lines.map((line): unknown => JSON.parse(line))
  assert.deepEqual(results, json.json())
})

test('a single record has no CSV and no NDJSON', async (t) => {
  const { app, _id } = await openRecord(t, '/people', { name: 'Ann', password: 'x' })
  assert.equal((await app.inject(`/people/${_id}.csv`)).statusCode, 404)
  assert.equal((await app.inject(`/people/${_id}.ndjson`)).statusCode, 404)
})
