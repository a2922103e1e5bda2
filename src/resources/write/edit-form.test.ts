import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { kinds } from '../../../test/support/form-kinds.ts'
import { asForm, createRecord, formType, readRecord } from '../../../test/support/resources.ts'
import { formsOf, tagsOf } from '../../../test/support/tags.ts'
import { useApp, type TestApp } from '../../../test/support/test-app.ts'

/** What a browser without script sends of the n-th form of a page. */
function toPairs(page: string, index = 0): [string, string][] {
  const form = formsOf(page)[index] ?? ''
  const decode = (text: string) =>
    text
      .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const inputs = tagsOf(form, 'input').filter(
    ({ type, ...input }) => type !== 'checkbox' || 'checked' in input,
  )
  const texts = [...form.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>\n([^]*?)<\/textarea>/g)]
  const selects = [...form.matchAll(/<select [^>]*name="([^"]*)"[^>]*>([^]*?)<\/select>/g)]
  return [
    ...inputs.map(({ name = '', value = '' }): [string, string] => [name, value]),
    ...texts.map(([, name = '', value = '']): [string, string] => [name, value]),
    ...selects.map(([, name = '', options = '']): [string, string] => [
      name,
      tagsOf(options, 'option').find((option) => 'selected' in option)?.value ?? '',
    ]),
  ].map(([name, value]) => [decode(name), decode(value).replaceAll(/\r?\n/g, '\r\n')])
}

async function submit(app: TestApp, url: string, pairs: readonly (readonly [string, string])[]) {
  const { headers } = asForm({})
  const payload = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()
  return app.inject({ method: 'POST', url: `${url}/`, headers, payload })
}

const change = (pairs: [string, string][], typed: Readonly<Record<string, string>>) => [
  ...pairs.filter(([name]) => !Object.hasOwn(typed, name)),
  ...Object.entries(typed),
]

const shared = useApp()

async function openPier() {
  const app = shared()
  const fields = { name: 'Pier', latitude: 53.5, longitude: -9.25, note: 'one\ntwo' }
  const url = `/places/${(await createRecord(app, '/places', fields))._id}`
  const form = toPairs((await app.inject(`${url}/edit`)).body)
  return { app, url, form }
}

test('the own version of a stale edit has only what was changed', async () => {
  const { app, url, form } = await openPier()
  await app.inject({ method: 'PATCH', url, payload: { latitude: 54, name: 'Theirs' } })
  const stale = await submit(app, url, change(form, { note: 'mine' }))
  assert.equal(stale.statusCode, 412)
  assert.match(
    stale.body,
    /Latitude <em>the new value stays<\/em><\/th><td dir="auto">53.5<.*<mark>54</,
  )
  assert.equal((await submit(app, url, toPairs(stale.body, 0))).statusCode, 303)
  const { name, latitude, note } = await readRecord(app, url)
  assert.deepEqual([name, latitude, note], ['Theirs', 54, 'mine'])
})

test('the own version that is edited further has only what was changed', async () => {
  const { app, url, form } = await openPier()
  await app.inject({ method: 'PATCH', url, payload: { latitude: 54 } })
  const stale = await submit(app, url, change(form, { note: 'mine' }))
  const again = toPairs(stale.body, 1)
  await app.inject({ method: 'PATCH', url, payload: { latitude: 55 } })
  const last = await submit(app, url, change(again, { name: 'Mine' }))
  assert.equal(last.statusCode, 412)
  assert.equal((await submit(app, url, toPairs(last.body, 0))).statusCode, 303)
  const { name, latitude, note } = await readRecord(app, url)
  assert.deepEqual([name, latitude, note], ['Mine', 55, 'mine'])
})

test('what was typed beside an error is saved with the correction', async () => {
  const { app, url, form } = await openPier()
  const failed = await submit(app, url, change(form, { note: 'mine', name: '' }))
  assert.equal(failed.statusCode, 422)
  const corrected = change(toPairs(failed.body), { name: 'Quay' })
  assert.equal((await submit(app, url, corrected)).statusCode, 303)
  const { name, note } = await readRecord(app, url)
  assert.deepEqual([name, note], ['Quay', 'mine'])
})

test('a field that was emptied is removed, and one that was empty stays as others set it', async () => {
  const { app, url, form } = await openPier()
  const without = { latitude: '', longitude: '' }
  await app.inject({ method: 'PATCH', url, payload: { note: 'theirs' } })
  const pairs = change(form, { ...without, note: '', '_was.note': '' })
  const unconditional = pairs.filter(([name]) => name !== '_if_match')
  assert.equal((await submit(app, url, unconditional)).statusCode, 303)
  const { latitude, longitude, note } = await readRecord(app, url)
  assert.deepEqual([latitude, longitude, note], [undefined, undefined, 'theirs'])
})

const openKinds = (t: TestContext, settings: Record<string, string> = {}) => {
  const properties = { name: { type: 'string' }, ...kinds.properties }
  const schema = { things: { required: ['name', 'sure'], properties } }
  return dataApp(t, { things: [{ id: 1, name: 'One', ...kinds.stored }] }, { schema, settings })
}

for (const [dialect, settings] of [
  ['own data', {}],
  ['0.17', { JSON_SERVER: '0.17' }],
  ['1', { JSON_SERVER: '1' }],
] as const) {
  test(`a form of ${dialect} leaves what others have changed in every kind of field`, async (t) => {
    const app = await openKinds(t, settings)
    const url = '/things/1'
    const page = await app.inject({ url: `${url}/edit`, headers: { accept: 'text/html' } })
    const pairs = change(toPairs(page.body), { name: 'Mine' })
    const patched = await app.inject({ method: 'PATCH', url, payload: kinds.theirs })
    assert.equal(patched.statusCode, 200, patched.body)
    const stale = await submit(app, url, pairs)
    assert.equal(stale.statusCode, 412)
    assert.equal((await submit(app, url, toPairs(stale.body))).statusCode, 303)
    const { id, ...saved } = (await app.inject(url)).json<Record<string, unknown>>()
    assert.ok(id)
    assert.deepEqual(saved, { name: 'Mine', ...kinds.theirs })
  })

  test(`a form of ${dialect} that is sent unchanged changes nothing`, async (t) => {
    const app = await openKinds(t, settings)
    const before = await app.inject('/things/1')
    const page = await app.inject({ url: '/things/1/edit', headers: { accept: 'text/html' } })
    assert.equal((await submit(app, '/things/1', toPairs(page.body))).statusCode, 303)
    const after = await app.inject('/things/1')
    assert.deepEqual([after.body, after.headers.etag], [before.body, before.headers.etag])
  })
}

test('what a field was is no field of any body, and needs no parameters of its own', async (t) => {
  const app = await openKinds(t, { MAX_PARAMETERS: '3' })
  const headers = { 'content-type': formType, prefer: 'handling=strict' }
  const payload = 'name=Two&sure=true&_was.name=One&_was.sure=&%5fwas.zip=1&text='
  const post = { method: 'POST', url: '/things', headers } as const
  assert.equal((await app.inject({ ...post, payload: `${payload}&more=1` })).statusCode, 400)
  const created = await app.inject({ ...post, payload: payload.replace('&%5fwas.zip=1', '') })
  assert.equal(created.statusCode, 201, created.body)
  assert.deepEqual(Object.keys(created.json<object>()), ['id', 'name', 'sure'])
  assert.equal(created.headers['vitrine-ignored-fields'], undefined)
})

const noChange: [type: string, payload: string][] = [
  ['application/json', '{}'],
  ['application/json', ''],
  ['application/json', '{"unknown":1}'],
  ['application/json', '{"_id":"other","updatedAt":"2026-01-01T00:00:00.000Z"}'],
  [formType, 'unknown=1'],
  [formType, '_was.name=Other'],
  ['application/merge-patch+json', '{}'],
  ['application/json-patch+json', '[]'],
  ['application/json-patch+json', '[{"op":"test","path":"/name","value":"Pier"}]'],
]
for (const [type, payload] of noChange) {
  test(`PATCH with ${type} ${payload} changes neither the version nor the time`, async () => {
    const { app, url } = await openPier()
    const read = async () => app.inject({ url, headers: { accept: 'application/json' } })
    const before = await read()
    const headers = { 'content-type': type }
    const response = await app.inject({ method: 'PATCH', url, headers, payload })
    assert.equal(response.statusCode, 200, response.body)
    assert.equal(response.headers.etag, before.headers.etag)
    const after = await read()
    assert.deepEqual([after.body, after.headers.etag], [before.body, before.headers.etag])
  })
}
