import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asForm, createRecord, fieldsOf, readRecord } from '../../../test/support/resources.ts'
import { useApp } from '../../../test/support/test-app.ts'

type Fields = Record<string, unknown>

const sharedApp = useApp()
const filledApp = useApp()

async function openRecord(fields: Fields) {
  const app = filledApp()
  const { _id } = await createRecord(app, '/locations', fields)
  return { app, url: `/locations/${_id}` }
}

const accepted: [what: string, fields: Fields][] = [
  ['only a name', { name: 'a' }],
  ['a name of 200 characters', { name: 'n'.repeat(200) }],
  ['a name of 200 characters outside the basic plane', { name: '😀'.repeat(200) }],
  ['the poles and the date line', { name: 'a', latitude: 90, longitude: 180 }],
  ['the other pole and side', { name: 'a', latitude: -90, longitude: -180 }],
  ['where the meridian meets the equator', { name: 'a', latitude: 0, longitude: 0 }],
  ['many decimal places', { name: 'a', latitude: 53.123456789012, longitude: 1e-7 }],
  ['a note of 2,000 characters', { name: 'a', note: 'x'.repeat(2000) }],
  ['a note of 2,000 characters outside the basic plane', { name: 'a', note: '🌍'.repeat(2000) }],
  ['an empty note', { name: 'a', note: '' }],
  ['markup in a name', { name: '<b>&amp;</b>' }],
]

for (const [what, fields] of accepted) {
  test(`a location may have ${what}`, async () => {
    const { app, url } = await openRecord(fields)
    assert.deepEqual(fieldsOf(await readRecord(app, url)), fields)
  })
}

const rejected: [what: string, fields: Fields, bad: string[]][] = [
  ['no name', {}, ['name']],
  ['an empty name', { name: '' }, ['name']],
  ['a name that is a number', { name: 1 }, ['name']],
  ['a name that is a list', { name: ['a'] }, ['name']],
  ['null for a name', { name: null }, ['name']],
  ['a name of 201 characters', { name: 'n'.repeat(201) }, ['name']],
  ['a name of 201 emoji', { name: '😀'.repeat(201) }, ['name']],
  ['201 characters in one cluster', { name: `e${'\u0301'.repeat(200)}` }, ['name']],
  ['a latitude over 90', { name: 'a', latitude: 90.000001, longitude: 0 }, ['latitude']],
  ['a latitude under −90', { name: 'a', latitude: -90.000001, longitude: 0 }, ['latitude']],
  ['a longitude over 180', { name: 'a', latitude: 0, longitude: 180.000001 }, ['longitude']],
  ['a longitude under −180', { name: 'a', latitude: 0, longitude: -180.000001 }, ['longitude']],
  [
    'coordinates far out',
    { name: 'a', latitude: 1e308, longitude: -1e308 },
    ['latitude', 'longitude'],
  ],
  ['a latitude alone', { name: 'a', latitude: 1 }, ['longitude']],
  ['a longitude alone', { name: 'a', longitude: 1 }, ['latitude']],
  ['a latitude and no longitude', { name: 'a', latitude: 1, longitude: null }, ['longitude']],
  [
    'coordinates that are text',
    { name: 'a', latitude: '1', longitude: '2' },
    ['latitude', 'longitude'],
  ],
  ['coordinates that are truth values', { name: 'a', latitude: true, longitude: 2 }, ['latitude']],
  ['a note of 2,001 characters', { name: 'a', note: 'x'.repeat(2001) }, ['note']],
  ['a note of 2,001 emoji', { name: 'a', note: '🌍'.repeat(2001) }, ['note']],
  ['a note that is a number', { name: 'a', note: 1 }, ['note']],
  [
    'everything wrong',
    { name: '', latitude: 91, longitude: 'x', note: {} },
    ['latitude', 'longitude', 'name', 'note'],
  ],
]

for (const [what, payload, bad] of rejected) {
  test(`a location may not have ${what}`, async () => {
    const app = sharedApp()
    const headers = { accept: 'application/json' }
    const requests = [
      { method: 'POST', url: '/locations' },
      { method: 'PUT', url: '/locations/mine' },
    ] as const
    for (const request of requests) {
      const response = await app.inject({ ...request, headers, payload })
      assert.equal(response.statusCode, 422)
      const { errors } = response.json<{ errors: { pointer: string; detail: string }[] }>()
      assert.deepEqual([...new Set(errors.map(({ pointer }) => pointer.slice(2)))].toSorted(), bad)
      for (const { detail } of errors) assert.match(detail, /\w/)
    }
    assert.deepEqual((await app.inject({ url: '/locations', headers })).json(), [])
  })
}

const badForms: [fields: Record<string, string>, bad: string[]][] = [
  [{ name: '' }, ['name']],
  [{ name: 'a', latitude: 'north', longitude: 'west' }, ['latitude', 'longitude']],
  [{ name: 'a', latitude: '1e999', longitude: '0' }, ['latitude']],
  [{ name: 'a', latitude: 'Infinity', longitude: 'NaN' }, ['latitude', 'longitude']],
  [{ name: 'a', latitude: '0x10', longitude: '1,5' }, ['latitude', 'longitude']],
  [{ name: 'a', latitude: '1', longitude: '' }, ['longitude']],
  [{ name: 'a', latitude: '90.5', longitude: '0' }, ['latitude']],
]

for (const [fields, bad] of badForms) {
  test(`a form with ${new URLSearchParams(fields).toString()} is rejected for ${bad.join(' and ')}`, async () => {
    const app = sharedApp()
    const response = await app.inject({ method: 'POST', url: '/locations/', ...asForm(fields) })
    assert.equal(response.statusCode, 422)
    const invalid = [...response.body.matchAll(/name="(\w+)"[^>]*aria-invalid="true"/g)]
    assert.deepEqual(invalid.map(([, name]) => name).toSorted(), bad)
  })
}

test('JSON with a number over the range of doubles is rejected', async () => {
  const app = sharedApp()
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const payload = '{"name":"a","latitude":1e999,"longitude":0}'
  const response = await app.inject({ method: 'POST', url: '/locations', headers, payload })
  assert.equal(response.statusCode, 422)
})

const changes: [change: Fields, bad: string[]][] = [
  [{ latitude: null }, ['latitude']],
  [{ longitude: null }, ['longitude']],
  [{ latitude: 91 }, ['latitude']],
  [{ note: 'x'.repeat(2001) }, ['note']],
]

for (const [change, bad] of changes) {
  test(`a change to ${JSON.stringify(change).slice(0, 30)} is rejected for ${bad.join()}`, async () => {
    const { app, url } = await openRecord({ name: 'a', latitude: 1, longitude: 2 })
    const response = await app.inject({ method: 'PATCH', url, payload: change })
    assert.equal(response.statusCode, 422)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      bad.map((name) => `#/${name}`),
    )
  })
}

test('one coordinate of a pair can be changed alone', async () => {
  const { app, url } = await openRecord({ name: 'a', latitude: 1, longitude: 2 })
  const response = await app.inject({ method: 'PATCH', url, payload: { latitude: -1.5 } })
  assert.equal(response.statusCode, 200)
  const { latitude, longitude } = await readRecord(app, url)
  assert.deepEqual([latitude, longitude], [-1.5, 2])
})

test('one coordinate cannot be added without the other, but both together can', async () => {
  const { app, url } = await openRecord({ name: 'a' })
  const alone = await app.inject({ method: 'PATCH', url, payload: { latitude: 1 } })
  assert.equal(alone.statusCode, 422)
  const both = await app.inject({ method: 'PATCH', url, payload: { latitude: 1, longitude: 2 } })
  assert.equal(both.statusCode, 200)
})
