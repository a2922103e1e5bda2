import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asForm,
  createRecord,
  openRecord,
  readRecord,
  samples,
  without,
} from '../../../test/support/resources.ts'
import { dataApp } from '../../../test/support/data-app.ts'
import { formsOf, inputNamed, inputsOf, tagsOf } from '../../../test/support/tags.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'

/** For tests that look only at what they store. */
const shared = useApp()

for (const { path, fields } of samples) {
  const names = Object.keys(fields)

  test(`the new form of ${path} posts to ${path}/ and has an empty input for each field`, async () => {
    const app = shared()
    const { body } = await app.inject(`${path}/new`)
    const [form, ...others] = tagsOf(body, 'form')
    assert.deepEqual(others, [])
    assert.equal(form?.method?.toLowerCase(), 'post')
    assert.equal(form.action, `${path}/`)
    const inputs = inputsOf(body).filter(({ name }) => name !== '_idempotency_key')
    assert.deepEqual(inputs.map(({ name }) => name).toSorted(), names.toSorted())
    for (const { value = '' } of inputs) assert.equal(value, '')
    const types = tagsOf(formsOf(body)[0] ?? '', 'button').map(({ type }) => type)
    assert.deepEqual(types, ['submit', 'submit'])
  })

  test(`the edit form of ${path} has the stored values, and sends PATCH with and without script`, async (t) => {
    const { app, _id } = await openRecord(shared(), path, fields)
    const { body } = await app.inject(`${path}/${_id}/edit`)
    const [form, ...others] = tagsOf(body, 'form')
    assert.deepEqual(others, [])
    assert.equal(form?.method?.toLowerCase(), 'post')
    assert.equal(form.action, `${path}/${_id}/`)
    assert.ok('data-patch' in form)
    assert.deepEqual(inputNamed(body, '_method'), {
      type: 'hidden',
      name: '_method',
      value: 'PATCH',
    })
    assert.deepEqual(
      inputsOf(body)
        .map(({ name }) => name)
        .toSorted(),
      [
        '_if_match',
        '_method',
        ...names,
        ...names.filter((name) => name !== 'password').map((name) => `_was.${name}`),
      ].toSorted(),
    )
    for (const [name, value] of Object.entries(fields)) {
      await t.test(name, () => {
        const { value: shown } = inputNamed(body, name) ?? {}
        if (name === 'password') assert.equal(shown ?? '', '')
        else if (name === 'note') assert.ok(body.includes(`${String(value)}</textarea>`))
        else assert.equal(shown, String(value))
      })
    }
    assert.ok(tagsOf(body, 'button').length > 0)
    const sources = tagsOf(body, 'script').map(({ src = '' }) => src)
    assert.ok(sources.length > 0)
    const scripts = await Promise.all(sources.map(async (source) => app.inject(source)))
    assert.ok(scripts.every(({ statusCode }) => statusCode === 200))
    const script = scripts.find(({ body }) => body.includes('data-patch'))?.body ?? ''
    assert.match(script, /PATCH/)
    assert.match(script, /data\.redirect/)
  })

  test(`submitting the unchanged edit form of ${path} changes nothing`, async () => {
    const app = shared()
    const created = await createRecord(app, path, fields)
    const readable = without<string | number>(fields, 'password')
    const url = `${path}/${created._id}`
    const typed = { _method: 'PATCH', ...readable, ...(path === '/people' && { password: '' }) }
    const response = await app.inject({ method: 'POST', url: `${url}/`, ...asForm(typed) })
    assert.equal(response.statusCode, 303)
    const after = await readRecord(app, url)
    assert.deepEqual(without(after, 'updatedAt'), without(created, 'updatedAt'))
  })

  test(`the page of a record of ${path} can delete it without script`, async () => {
    const { app, _id, url } = await openRecord(shared(), path, fields)
    const { body } = await app.inject(url)
    const form = tagsOf(body, 'form').find(({ action = '' }) => action.includes(_id))
    assert.equal(form?.method?.toLowerCase(), 'post')
    assert.equal(inputNamed(body, '_method')?.value, 'DELETE')
    assert.ok(tagsOf(body, 'a').some(({ href }) => href === `${path}/${_id}/edit`))
  })

  for (const route of ['new', 'edit']) {
    test(`an invalid ${route} form of ${path} is shown again with the typed values and the errors`, async (t) => {
      const { app, _id } = await openRecord(shared(), path, fields)
      const typed =
        path === '/people'
          ? { name: 'n'.repeat(201), password: 'typed in vain' }
          : { name: 'n'.repeat(201), latitude: 'north', longitude: '181', note: 'typed & kept' }
      const action = route === 'new' ? `${path}/` : `${path}/${_id}/`
      const request = asForm({ ...typed, ...(route === 'new' ? {} : { _method: 'PATCH' }) })
      const response = await app.inject({ method: 'POST', url: action, ...request })
      assert.equal(response.statusCode, 422)
      assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
      assert.match(String(response.headers.vary), /\bAccept\b(?!-)/)
      const [form] = tagsOf(response.body, 'form')
      assert.equal(form?.action, action)
      assert.equal(
        inputNamed(response.body, '_method')?.value,
        route === 'new' ? undefined : 'PATCH',
      )
      assert.ok(!response.body.includes('typed in vain'))
      for (const [name, value] of Object.entries(typed)) {
        await t.test(name, () => {
          const { value: shown, 'aria-invalid': invalid } = inputNamed(response.body, name) ?? {}
          if (name === 'password') assert.equal(shown ?? '', '')
          else if (name === 'note') assert.ok(response.body.includes('typed &amp; kept</textarea>'))
          else assert.deepEqual([shown, invalid], [value, 'true'])
        })
      }
      assert.match(response.body, /Name must be at most 200 characters/)
    })

    test(`an invalid ${route} form of ${path} lists the errors on top, and at each field`, async () => {
      const { app, _id } = await openRecord(shared(), path, fields)
      const url = route === 'new' ? path : `${path}/${_id}`
      const more = route === 'new' ? {} : { _method: 'PATCH' }
      const request = asForm({ ...fields, name: '', ...more })
      const { body } = await app.inject({ method: 'POST', url, ...request })
      assert.match(body, /<title>Not saved: /)
      assert.equal(tagsOf(body, 'div').find(({ role }) => role === 'alert')?.tabindex, '-1')
      assert.match(body, /<li><a href="#name">Name must not be empty<\/a><\/li>/)
      const described = inputNamed(body, 'name')?.['aria-describedby']?.split(' ') ?? []
      assert.deepEqual(described, ['name-problem', 'name-hint'])
      for (const id of described) assert.ok(body.includes(` id="${id}"`), id)
      assert.equal((body.match(/aria-invalid/g) ?? []).length, 1)
      assert.deepEqual(await findInvalid(body, url), [])
    })
  }

  const hostile = `"><script>alert('1')</script>&amp;</title></textarea>{{7*7}}`
  test(`hostile values of ${path} are escaped wherever they are shown`, async (t) => {
    const app = await testApp(t)
    const payload = { ...fields, name: hostile, ...(path === '/places' && { note: hostile }) }
    const { _id } = await createRecord(app, path, payload)
    const bad = { ...payload, name: hostile.padEnd(201, '<') }
    const pages = [
      await app.inject(path),
      await app.inject(`${path}?page=1`),
      await app.inject(`${path}/${_id}`),
      await app.inject(`${path}/${_id}/edit`),
      await app.inject({ method: 'POST', url: path, payload }),
      await app.inject({ method: 'POST', url: path, ...asForm(bad) }),
      await app.inject({ method: 'PATCH', url: `${path}/${_id}`, ...asForm(bad) }),
      await app.inject({
        method: 'PUT',
        url: `${path}/mine`,
        headers: { accept: 'text/html' },
        payload,
      }),
    ]
    for (const [index, { headers, body }] of pages.entries()) {
      await t.test(`page ${String(index)}`, () => {
        assert.equal(headers['content-type'], 'text/html; charset=utf-8')
        assert.match(String(headers['content-security-policy']), /default-src 'self'/)
        assert.ok(!body.includes('<script>'))
        assert.ok(!/<\/title>[^\n]*<\/title>/.test(body))
        assert.ok(!body.includes('&amp;</title>'))
        assert.ok(
          body.includes('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;'),
        )
      })
    }
    assert.equal((await readRecord(app, `${path}/${_id}`)).name, hostile)
  })
}

const products = [
  { id: 1, name: 'Lamp', soldAt: '2026-11-22T12:00:00Z', price: 5, size: { w: 1 } },
  { id: 2, soldAt: null, note: null, ratio: null, price: 'on request' },
  { id: 3, name: null, soldAt: '2026-11-22T13:00:00+01:00', kind: null, note: 'a\r\nb', ratio: 0 },
  ...['big', 'big', 'big', 'small', 'small', 'small'].map((kind, index) => {
    return { id: 4 + index, kind, isNew: true, ratio: 0.5, note: '' }
  }),
]
// As a browser sends what the form shows.
const unchanged = [
  { soldAt: '2026-11-22T12:00', name: 'Lamp', price: '5', size: '{\r\n  "w": 1\r\n}' },
  { price: 'on request' },
  { soldAt: '2026-11-22T12:00', note: 'a\r\nb', ratio: '0' },
]

const shop = useApp({}, (t) => dataApp(t, { products }))
for (const [index, shown] of unchanged.entries()) {
  test(`saving the unchanged edit form of product ${String(index + 1)} changes nothing`, async () => {
    const app = shop()
    const url = `/products/${String(index + 1)}`
    const blank = Object.fromEntries(products.flatMap(Object.keys).map((name) => [name, '']))
    const { body: before } = await app.inject(url)
    const typed = asForm({ ...without(blank, 'id'), ...shown, _method: 'PATCH' })
    const response = await app.inject({ method: 'POST', url, ...typed })
    assert.equal(response.statusCode, 303)
    assert.equal((await app.inject(url)).body, before)
  })
}

test('after an error, a text that is too long to be shown again removes no stored value', async (t) => {
  const app = await dataApp(t, { posts: [{ id: 1, title: 'short', text: 'kept', views: 1 }] })
  const url = '/posts/1'
  const typed = asForm({ _method: 'PATCH', text: 'x'.repeat(70_000), views: 'no number' })
  const { statusCode, body } = await app.inject({ method: 'POST', url, ...typed })
  assert.equal(statusCode, 422)
  assert.match(body, /The text is too long to be shown again: type it again\./)
  const [, before = '?'] = /name="_was\.text" value="([^"]*)"/.exec(body) ?? []
  const again = asForm({ _method: 'PATCH', '_was.text': before, text: '', views: '2' })
  assert.equal((await app.inject({ method: 'POST', url, ...again })).statusCode, 303)
  assert.equal((await app.inject(url)).json<{ text: string }>().text, 'kept')
})

test('a value that is too long for a form is kept if its input is left empty', async (t) => {
  const posts = [{ id: 1, title: 'short', text: 'x'.repeat(70_000) }]
  const app = await dataApp(t, { posts })
  const { body } = await app.inject({ url: '/posts/1/edit', headers: { accept: 'text/html' } })
  assert.match(body, /Leave empty to keep the current value, which is too long for this form\./)
  const save = (text: string) =>
    app.inject({
      method: 'POST',
      url: '/posts/1',
      ...asForm({ _method: 'PATCH', title: 'changed', text }),
    })
  assert.equal((await save('')).statusCode, 303)
  assert.deepEqual((await app.inject('/posts/1')).json(), { ...posts[0], title: 'changed' })
  const other = 'y'.repeat(70_000)
  assert.equal((await save(other)).statusCode, 303)
  assert.equal((await app.inject('/posts/1')).json<{ text: string }>().text, other)
})

test('the name of a user has a text input, and the password a masked one', async (t) => {
  const { app, _id } = await openRecord(shared(), '/people', samples[0].fields)
  for (const url of ['/people/new', `/people/${_id}/edit`]) {
    await t.test(url, async () => {
      const { body } = await app.inject(url)
      assert.equal(inputNamed(body, 'name')?.type, 'text')
      assert.equal(inputNamed(body, 'password')?.type, 'password')
    })
  }
})

test('the new form requires a password, and the edit form does not', async () => {
  const { app, _id } = await openRecord(shared(), '/people', samples[0].fields)
  const required = async (url: string) =>
    'required' in (inputNamed((await app.inject(url)).body, 'password') ?? {})
  assert.equal(await required('/people/new'), true)
  assert.equal(await required(`/people/${_id}/edit`), false)
})

test('the edit form preserves a leading line break of a note', async () => {
  const { app, _id } = await openRecord(shared(), '/places', { name: 'Pier', note: '\nsecond' })
  const { body } = await app.inject(`/places/${_id}/edit`)
  // HTML drops the first line break after the tag.
  assert.match(body, /<textarea[^>]*>\n\nsecond<\/textarea>/)
})

test('every field describes its valid values', async () => {
  const app = shared()
  const { body: user } = await app.inject('/people/new')
  assert.match(user, /id="name-hint">1 to 200 characters</)
  assert.match(
    user,
    /id="password-hint">1 to 1,024 bytes\. This is a demonstration: do not use a real password\.</,
  )
  const { body: location } = await app.inject('/places/new')
  // Most fields of a place are optional, and none of a person.
  assert.match(location, /Name <span class="quiet">\(required\)</)
  assert.match(location, />Latitude<\/label>/)
  assert.doesNotMatch(user, /\((required|optional)\)/)
  assert.match(location, /id="latitude-hint">−90 to 90</)
  assert.match(location, /id="note-hint">Up to 2,000 characters</)
  assert.equal(inputNamed(location, 'latitude')?.['aria-describedby'], 'latitude-hint')
})

test('a value of a megabyte is not shown again in the form', async () => {
  const { statusCode, body } = await shared().inject({
    method: 'POST',
    url: '/places',
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    payload: `name=${'"'.repeat(1_000_000)}`,
  })
  assert.equal(statusCode, 422)
  assert.ok(body.length < 100_000)
})
