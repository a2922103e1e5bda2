import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  asForm,
  browserAccept,
  formType,
  readRecord,
  without,
} from '../../test/support/resources.ts'
import { useApp } from '../../test/support/test-app.ts'
import { tagsOf } from '../../test/support/tags.ts'
import { findInvalid } from '../../test/support/valid-html.ts'
import { defineResource } from './definition.ts'

import { full, openThings, plain, things, thingsDemo } from '../../test/support/things.ts'

/** For tests that look only at what they store. */
const shared = useApp({ demos: [thingsDemo] })

test('a field of every type is returned as it was sent', async (t) => {
  const { app, url } = await openThings(t)
  assert.deepEqual(
    without<unknown>(await readRecord(app, url), '_id', 'createdAt', 'updatedAt'),
    full,
  )
  const { body } = await app.inject('/things.ndjson')
  assert.deepEqual(JSON.parse(body), await readRecord(app, url))
})

test('lists, objects, booleans and null are JSON in text and in CSV', async (t) => {
  const { app, url } = await openThings(t)
  const text = await app.inject(`${url}.txt`)
  assert.match(text.body, /^tags: \["a","b"\]$/m)
  assert.match(text.body, /^ratio: null$/m)
  const csv = await app.inject(
    '/things.csv?fields=name,ratio,active,tags,secret2'.replace(',secret2', ''),
  )
  assert.equal(csv.body, 'name,ratio,active,tags\r\nOne,null,true,"[""a"",""b""]"\r\n')
})

test('the pages show fields of every type, and are valid', async (t) => {
  const { app, url } = await openThings(t)
  for (const page of ['/things', url, '/things/new', `${url}/edit`]) {
    await t.test(page, async () => {
      const headers = { accept: browserAccept }
      const { statusCode, body } = await app.inject({ url: page, headers })
      assert.equal(statusCode, 200)
      assert.deepEqual(await findInvalid(body, page), [])
    })
  }
  const { body } = await app.inject(url)
  assert.match(body, /<dt>active<\/dt><dd dir="auto">Yes<\/dd>/)
  assert.match(body, /<dt>at<\/dt><dd dir="auto"><time datetime="2026-11-21T08:00:00.000Z">/)
  assert.match(
    body,
    /<dt>address<\/dt><dd dir="auto"><pre>\{\n {2}&quot;city&quot;: &quot;Rome&quot;/,
  )
})

test('the list shows a list of texts, and the members of an object', async (t) => {
  const { app, url } = await openThings(t)
  const tags = ['<b>', 'x'.repeat(200)]
  await app.inject({ method: 'PATCH', url, payload: { tags, any: [{ a: 1 }, 2] } })
  const { body } = await app.inject('/things?fields=tags,address,any')
  assert.ok(body.includes(`>&lt;b&gt;, ${'x'.repeat(115)}…</td>`))
  assert.match(body, /data-label="address" title="{[^"]*">city: Rome, [^<]*</)
  assert.match(body, /data-label="any" title="[^"]*">2 items</)
})

const inputs: readonly [tag: 'input' | 'select' | 'textarea', name: string, type?: string][] = [
  ['input', 'count', 'number'],
  ['input', 'active', 'checkbox'],
  ['select', 'wanted'],
  ['select', 'colour'],
  ['select', 'level'],
  ['input', 'day', 'date'],
  ['input', 'at', 'datetime-local'],
  ['textarea', 'tags'],
  ['textarea', 'address'],
  ['textarea', 'any'],
]
for (const [tag, name, type] of inputs) {
  test(`the form has a ${type ?? tag} for ${name}`, async () => {
    const { body } = await shared().inject('/things/new')
    const found = tagsOf(body, tag).find((input) => input.name === name && input.type !== 'hidden')
    assert.equal(found?.type, type)
  })
}

/** The fields of a page's form as a browser sends them. */
function typedIn(page: string): URLSearchParams {
  const decode = (text: string) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const sent = new URLSearchParams()
  const controls =
    /<(input|select|textarea) ([^>]*)>(?:\n?([^<]*)<\/textarea>|((?:<option[^]*?)<\/select>))?/g
  for (const [, tag, attributes = '', text = '', options = ''] of page.matchAll(controls)) {
    const name = decode(/name="([^"]*)"/.exec(attributes)?.[1] ?? '')
    const value = /value="([^"]*)"/.exec(attributes)?.[1] ?? ''
    const selected = /<option value="([^"]*)" selected/.exec(options)?.[1] ?? ''
    if (attributes.includes('checkbox') && !attributes.includes('checked')) continue
    sent.append(name, decode(tag === 'input' ? value : tag === 'select' ? selected : text))
  }
  return sent
}

test('submitting the unchanged edit form changes nothing', async () => {
  const { app, url } = await openThings(shared())
  const before = await readRecord(app, url)
  const { body } = await app.inject(`${url}/edit`)
  const headers = { 'content-type': formType, accept: browserAccept }
  const payload = typedIn(body).toString()
  const response = await app.inject({ method: 'POST', url, headers, payload })
  assert.equal(response.statusCode, 303, response.body)
  // An input for a time has milliseconds.
  const after = { ...(await readRecord(app, url)), at: full.at }
  assert.deepEqual(without<unknown>(after, 'updatedAt'), without<unknown>(before, 'updatedAt'))
})

test('a form sets fields of every type', async () => {
  const fields = {
    name: 'Typed',
    count: '7',
    wanted: 'true',
    colour: 'green',
    level: '"high"',
    day: '2026-01-31',
    at: '2026-01-31T12:30',
    tags: '["x"]',
    address: '{"city":"Bonn"}',
    any: 'null',
  }
  const { headers, payload } = asForm(fields)
  const response = await shared().inject({
    method: 'POST',
    url: '/things',
    headers: { ...headers, accept: 'application/json' },
    payload: `${payload}&active[0]=false&active=true`,
  })
  assert.equal(response.statusCode, 201, response.body)
  assert.deepEqual(
    without(response.json<Record<string, unknown>>(), '_id', 'createdAt', 'updatedAt'),
    {
      name: 'Typed',
      count: 7,
      active: true,
      wanted: true,
      colour: 'green',
      level: 'high',
      day: '2026-01-31',
      at: '2026-01-31T12:30:00.000Z',
      tags: ['x'],
      address: { city: 'Bonn' },
      any: null,
    },
  )
})

const invalid: readonly [fields: object, detail: RegExp][] = [
  [{ count: 1.5 }, /count must be a whole number/],
  [{ count: -1 }, /count must be at least 0/],
  [{ ratio: 'x' }, /ratio must be a number/],
  [{ active: 'yes' }, /active must be true or false/],
  [{ colour: 'blue' }, /colour must be one of red, green/],
  [{ level: 3 }, /level must be one of 1, 2, high, null/],
  [{ day: '2026-02-31' }, /day must be a date like/],
  [{ at: 'noon' }, /at must be a time like/],
  [{ tags: 'a' }, /tags must be a list/],
  [{ tags: ['a', 1] }, /tags\[1\] must be text/],
  [{ address: {} }, /address\.city is required/],
  [{ address: { city: 1 } }, /address\.city must be text/],
]
for (const [fields, detail] of invalid) {
  test(`422 for ${JSON.stringify(fields)}`, async () => {
    const app = shared()
    const headers = { accept: 'application/json' }
    const payload = { ...plain, ...fields }
    const response = await app.inject({ method: 'POST', url: '/things', headers, payload })
    assert.equal(response.statusCode, 422)
    assert.match(response.json<{ detail: string }>().detail, detail)
  })
}

test('invalid JSON is shown again as it was typed', async () => {
  const response = await shared().inject({
    method: 'POST',
    url: '/things',
    ...asForm({ name: 'a', active: 'true', address: '{"city":', any: '{"__proto__":1}' }),
  })
  assert.equal(response.statusCode, 422)
  assert.match(response.body, /address must be JSON/)
  assert.match(response.body, /any must be JSON/)
  assert.match(response.body, /<textarea id="address"[^>]*>\n\{&quot;city&quot;:<\/textarea>/)
})

suite('patches change nested values', () => {
  const rows: readonly [type: string, patch: unknown, changed: object][] = [
    [
      'merge-patch',
      { address: { geo: null, city: 'Roma' } },
      { address: { city: 'Roma', 'zip.code': 118, extra: { floor: 2 } } },
    ],
    ['merge-patch', { ratio: null, tags: [] }, { ratio: undefined, tags: [] }],
    ['json-patch', [{ op: 'add', path: '/tags/1', value: 'new' }], { tags: ['a', 'new', 'b'] }],
    [
      'json-patch',
      [{ op: 'remove', path: '/address/extra/floor' }],
      { address: { ...full.address, extra: {} } },
    ],
    [
      'json-patch',
      [{ op: 'replace', path: '/any/2/deep', value: true }],
      { any: ['x', 1, { deep: true }] },
    ],
    ['json-patch', [{ op: 'replace', path: '/active', value: false }], { active: false }],
  ]
  for (const [type, patch, changed] of rows) {
    test(`${type} ${JSON.stringify(patch)}`, async () => {
      const { app, url } = await openThings(shared())
      const headers = { 'content-type': `application/${type}+json` }
      const payload = JSON.stringify(patch)
      const response = await app.inject({ method: 'PATCH', url, headers, payload })
      assert.equal(response.statusCode, 200, response.body)
      const after = without<unknown>(await readRecord(app, url), '_id', 'createdAt', 'updatedAt')
      assert.deepEqual(after, JSON.parse(JSON.stringify({ ...full, ...changed })))
    })
  }
  test('a plain PATCH with null sets null where the field allows it, and removes the field elsewhere', async () => {
    const { app, url } = await openThings(shared())
    await app.inject({ method: 'PATCH', url, payload: { wanted: null, count: null } })
    const { wanted, count } = (await readRecord(app, url)) as Record<string, unknown>
    assert.deepEqual({ wanted, count }, { wanted: null, count: undefined })
  })
})

for (const name of ['', '_id', 'createdAt', 'updatedAt']) {
  test(`a resource cannot have a field "${name}"`, () => {
    const schema = { ...things.schema, properties: { [name]: { type: 'string' } } } as const
    assert.throws(() => defineResource({ ...things, schema }), /invalid field name/)
  })
}

test('a list in a form that is no JSON gets the form that a list has', async () => {
  const payload = { name: 'a', active: 'true', tags: '["one"' }
  const form = asForm(payload)
  const headers = { ...form.headers, accept: 'application/json' }
  const response = await shared().inject({ ...form, method: 'POST', url: '/things', headers })
  const [problem] = response.json<{ errors: object[] }>().errors
  assert.deepEqual(problem, {
    detail: 'must have one item per line, or be a list as JSON, such as ["one"]',
    pointer: '#/tags',
  })
})
