import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { asForm, createRecord, readRecord, samples } from '../../../test/support/resources.ts'
import { formsOf, tagsOf, typedIn } from '../../../test/support/tags.ts'
import { useApp, type TestApp } from '../../../test/support/test-app.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'

const json = { accept: 'application/json' }

const shared = useApp()

/** A record that has changed since its tag was read. */
async function openStale(app: TestApp, { path, fields }: (typeof samples)[number]) {
  const { _id } = await createRecord(app, path, fields)
  const url = `${path}/${_id}`
  const stale = String((await app.inject({ url, headers: json })).headers.etag)
  await app.inject({ method: 'PATCH', url, payload: { name: 'Theirs' } })
  return { url, stale, current: String((await app.inject({ url, headers: json })).headers.etag) }
}

for (const sample of samples) {
  const { path } = sample

  test(`a stale edit form of ${path} gets a page with all versions`, async () => {
    const app = shared()
    const { url, stale, current } = await openStale(app, sample)
    const form = asForm({ _method: 'PATCH', _if_match: stale, name: 'Mine & "more"' })
    const response = await app.inject({ method: 'POST', url: `${url}/`, ...form })
    assert.equal(response.statusCode, 412)
    assert.equal(response.headers.etag, current)
    assert.equal(response.headers['cache-control'], 'no-store')
    assert.match(response.body, /Name <em>choose one<\/em><\/th><td class="quiet">not known</)
    assert.match(
      response.body,
      /value="Mine &amp; &quot;more&quot;" required> <mark>Mine &amp; &quot;more&quot;<\/mark>.*value="Theirs" required> <mark>Theirs</,
    )
    if (path === '/places')
      assert.match(response.body, /<details>.*\n.*<dt>Latitude<\/dt><dd dir="auto">53.5</s)
    assert.ok(tagsOf(response.body, 'a').some(({ href }) => href === url))
    assert.deepEqual(await findInvalid(response.body, url), [])
    assert.equal((await readRecord(app, url)).name, 'Theirs')
    assert.match(response.body, /The field <code>_if_match<\/code> named an earlier version/)
    const { _if_match, ...fields } = { _method: 'PATCH', _if_match: stale, name: 'Mine' }
    const { headers, payload } = asForm(fields)
    const sent = { ...headers, accept: 'text/html', 'if-match': _if_match }
    const { body } = await app.inject({ method: 'POST', url, headers: sent, payload })
    assert.match(body, /"><code>If-Match<\/code> named an earlier version/)
  })

  test(`after a stale edit of ${path}, the own version can be saved, or edited further`, async () => {
    const app = shared()
    for (const [index, label] of ['Save the merged version', 'Save'].entries()) {
      const { url, stale } = await openStale(app, sample)
      const form = asForm({ _method: 'PATCH', _if_match: stale, name: 'Mine' })
      const { body } = await app.inject({ method: 'POST', url, ...form })
      const chosen = formsOf(body)[index] ?? ''
      assert.ok(chosen.includes(`<button type="submit">${label}</button>`))
      const [{ action = '' } = {}] = tagsOf(chosen, 'form')
      const typed = { ...typedIn(chosen), name: 'Mine' }
      const response = await app.inject({ method: 'POST', url: action, ...asForm(typed) })
      assert.equal(response.statusCode, 303)
      assert.equal((await readRecord(app, url)).name, 'Mine')
    }
  })

  test(`after another change of ${path}, the page compares with the newest version`, async () => {
    const app = shared()
    const { url, stale } = await openStale(app, sample)
    const form = asForm({ _method: 'PATCH', _if_match: stale, name: 'Mine' })
    const { body } = await app.inject({ method: 'POST', url, ...form })
    await app.inject({ method: 'PATCH', url, payload: { name: 'Newest' } })
    const [keep = ''] = formsOf(body)
    const chosen = { ...typedIn(keep), name: 'Mine' }
    const again = await app.inject({ method: 'POST', url, ...asForm(chosen) })
    assert.equal(again.statusCode, 412)
    assert.match(
      again.body,
      /<td dir="auto">Theirs<\/td>.*<mark>Mine<\/mark>.*<mark>Newest<\/mark>/,
    )
    await app.inject({ method: 'DELETE', url })
    const gone = await app.inject({ method: 'POST', url, ...asForm(typedIn(keep)) })
    assert.equal(gone.statusCode, 404)
  })

  test(`a stale delete of ${path} shows the current version, and can be repeated`, async () => {
    const app = shared()
    const { url, stale } = await openStale(app, sample)
    const form = asForm({ _method: 'DELETE', _if_match: stale })
    const response = await app.inject({ method: 'POST', url, ...form })
    assert.equal(response.statusCode, 412)
    assert.match(response.body, /<dt>Name<\/dt><dd dir="auto">Theirs<\/dd>/)
    assert.deepEqual(await findInvalid(response.body, url), [])
    const [again = ''] = formsOf(response.body)
    const deleted = await app.inject({ method: 'POST', url, ...asForm(typedIn(again)) })
    assert.equal(deleted.statusCode, 303)
    assert.equal((await app.inject({ url, headers: json })).statusCode, 404)
  })

  test(`an API client with a stale tag of ${path} gets a problem and the current tag`, async (t) => {
    const app = shared()
    const { url, stale, current } = await openStale(app, sample)
    const headers = { ...json, 'if-match': stale }
    for (const method of ['PATCH', 'DELETE'] as const) {
      await t.test(method, async () => {
        const payload = method === 'PATCH' ? { name: 'Mine' } : undefined
        const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
        assert.equal(response.statusCode, 412)
        assert.equal(response.headers.etag, current)
        assert.match(response.json<{ type: string }>().type, /\/problems\/precondition-failed$/)
      })
    }
  })
}

test('a new password of a stale edit is not shown, and has to be typed again', async () => {
  const app = shared()
  const { url, stale } = await openStale(app, samples[0])
  const typed = { _method: 'PATCH', _if_match: stale, name: 'Mine', password: 'typed in vain' }
  const { body } = await app.inject({ method: 'POST', url, ...asForm(typed) })
  assert.ok(!body.includes('typed in vain'))
  assert.ok(!body.includes('scrypt'))
  assert.ok(!body.includes('Save the merged version'))
  assert.match(body, /new: type it again below/)
})

test('a field left empty in a stale edit is shown as empty, and is removed when saved', async () => {
  const app = shared()
  const { url, stale } = await openStale(app, samples[1])
  const typed = { _method: 'PATCH', _if_match: stale, name: 'Theirs', note: '' }
  const { body } = await app.inject({ method: 'POST', url, ...asForm(typed) })
  assert.match(body, /<span class="quiet">empty<\/span>.*<mark>by the water/)
  const [keep = ''] = formsOf(body)
  await app.inject({ method: 'POST', url, ...asForm({ ...typedIn(keep), note: '' }) })
  assert.equal((await readRecord(app, url)).note, undefined)
})

const differences: [mine: string, theirs: string, shown: [mine: string, theirs: string]][] = [
  ['a b c', 'a x c', ['a <mark>b</mark> c', 'a <mark>x</mark> c']],
  ['a b', 'a', ['a<mark> b</mark>', 'a']],
  ['b', 'a b', ['b', '<mark>a </mark>b']],
  ['a a a', 'a a', ['a a<mark> a</mark>', 'a a']],
  ['a b', 'c', ['<mark>a b</mark>', '<mark>c</mark>']],
  ['<b>', '&', ['<mark>&lt;b&gt;</mark>', '<mark>&amp;</mark>']],
]

for (const [mine, theirs, shown] of differences) {
  test(`of the notes "${mine}" and "${theirs}", the words that differ are marked`, async () => {
    const app = shared()
    const { url, stale } = await openStale(app, samples[1])
    await app.inject({ method: 'PATCH', url, payload: { note: theirs } })
    const form = asForm({ _method: 'PATCH', _if_match: stale, note: mine })
    const { body } = await app.inject({ method: 'POST', url, ...form })
    for (const markup of shown) assert.ok(body.includes(` required> ${markup}</label>`), body)
  })
}

const records = {
  authors: [{ id: 1, name: 'Ann' }],
  posts: [
    { id: 1, title: 'One', authorId: 1, at: '2026-11-01T10:00:00Z', done: true, meta: { a: 1 } },
  ],
}

/** Sends a stale form with these values typed, after a change of the title by another. */
async function collide(t: TestContext, typed: Readonly<Record<string, string>>, theirs = {}) {
  const app = await dataApp(t, records)
  const opened = {
    '_was.title': 'One',
    '_was.authorId': '1',
    '_was.at': '2026-11-01T10:00:00.000',
    '_was.done': 'true',
  }
  const stale = String((await app.inject('/posts/1.json')).headers.etag)
  const payload = { title: 'Theirs', ...theirs }
  assert.equal((await app.inject({ method: 'PATCH', url: '/posts/1', payload })).statusCode, 200)
  const fields = { _method: 'PATCH', _if_match: stale, ...opened, '_was.meta': '{"a":1}', ...typed }
  const form = asForm(fields)
  const headers = { ...form.headers, accept: 'text/html' }
  const { statusCode, body } = await app.inject({
    ...form,
    headers,
    method: 'POST',
    url: '/posts/1',
  })
  assert.equal(statusCode, 412)
  return { app, body }
}

test('a conflict shows the fields that differ, and folds the others', async (t) => {
  const { body } = await collide(t, { done: 'false' })
  const [, table = ''] = /<tbody>([^]*?)<\/tbody>/.exec(body) ?? []
  assert.deepEqual(table.match(/(?<=scope="row">)\w+/g), ['Title', 'Done'])
  const [, folded = ''] = /<summary>What is equal[^]*?<dl([^]*?)<\/dl>/.exec(body) ?? []
  assert.deepEqual(folded.match(/(?<=<dt>)\w+/g), ['Author', 'At', 'Meta', 'ID'])
  assert.match(folded, /<a href="\/authors\/1">Ann<\/a>/)
})

test('a conflict shows times and booleans as the page of the record does', async (t) => {
  const { body } = await collide(t, { done: 'false', at: '2026-11-02T10:00' })
  const time = (day: string) =>
    `<time datetime="2026-11-${day}T10:00:00.000Z">2026-11-${day} 10:00 UTC</time>`
  assert.ok(body.includes(`<td dir="auto"><mark>${time('02')}</mark></td>`), body)
  assert.ok(body.includes(`<td dir="auto">${time('01')}</td>`))
  assert.match(body, /<td dir="auto">Yes<\/td><td dir="auto"><mark>No<\/mark><\/td>/)
})

test('two times of the same minute differ on the page of a conflict', async (t) => {
  const { body } = await collide(t, { at: '2026-11-01T10:00:07' })
  assert.match(body, /<mark>2026-11-01T10:00:07\.000<\/mark>/)
})

const invalid: [typed: Readonly<Record<string, string>>, problem: string, text: string][] = [
  [{ meta: '{"a":' }, 'Meta must be JSON', '{&quot;a&quot;:'],
  [{ meta: '[1]' }, 'Meta must be an object', '[\n  1\n]'],
  [{ done: 'maybe' }, 'Done must be true or false', 'maybe'],
]

for (const [typed, problem, text] of invalid) {
  test(`a conflict shows the error of ${JSON.stringify(typed)}, and what was typed in the form`, async (t) => {
    const { app, body } = await collide(t, { ...typed, title: 'Mine' })
    assert.ok(body.includes(`<em class="error">${problem}`), body)
    assert.match(body, /Some of your values also have errors/)
    assert.doesNotMatch(body, /Save the merged version|yours is saved|choose one/)
    assert.match(body, /<details open><summary>Edit my version/)
    assert.match(body, new RegExp(`aria-describedby="${Object.keys(typed).join()}-problem`))
    assert.ok(body.includes(`>${text}</`), body)
    const corrected = { ...typedIn(formsOf(body)[0] ?? ''), title: 'Mine', meta: '{"a":2}' }
    const form = asForm({ ...corrected, done: 'true' })
    const headers = { ...form.headers, accept: 'text/html' }
    const saved = await app.inject({ ...form, headers, method: 'POST', url: '/posts/1' })
    assert.equal(saved.statusCode, 303, saved.body)
    const { title, meta } = (await app.inject('/posts/1')).json<Record<string, unknown>>()
    assert.deepEqual([title, meta], ['Mine', { a: 2 }])
  })
}

for (const isTyped of [true, false]) {
  test(`the edit of a deleted record keeps what was ${isTyped ? 'typed' : 'shown'}, to create it again`, async (t) => {
    const app = await dataApp(t, records)
    const { body: page } = await app.inject({
      url: '/posts/1/edit',
      headers: { accept: 'text/html' },
    })
    const opened = typedIn(formsOf(page)[0] ?? '')
    await app.inject({ method: 'DELETE', url: '/posts/1' })
    const form = asForm({ ...opened, ...(isTyped && { title: 'Typed' }), meta: '{"a":1}' })
    const headers = { ...form.headers, accept: 'text/html' }
    const gone = await app.inject({ ...form, headers, method: 'POST', url: '/posts/1/' })
    assert.equal(gone.statusCode, 404)
    assert.match(gone.body, /This post was deleted after you opened it/)
    assert.deepEqual(await findInvalid(gone.body, '/posts/1/'), [])
    const [again = ''] = formsOf(gone.body)
    assert.equal(tagsOf(again, 'form')[0]?.action, '/posts/')
    const typed = { ...typedIn(again), authorId: '1', done: 'true', meta: '{"a":1}' }
    const created = await app.inject({
      method: 'POST',
      url: '/posts/',
      headers,
      payload: asForm(typed).payload,
    })
    assert.equal(created.statusCode, 201, created.body)
    const url = String(created.headers.location)
    const { id, ...rest } = (await app.inject(url)).json<Record<string, unknown>>()
    assert.ok(id)
    const at = '2026-11-01T10:00:00.000Z'
    const { title } = { title: isTyped ? 'Typed' : 'One' }
    assert.deepEqual(rest, { title, authorId: 1, at, done: true, meta: { a: 1 } })
  })
}

test('a text that is too long for a form can be chosen in a conflict', async (t) => {
  const app = await dataApp(t, { posts: [{ id: 1, text: 'a' }] })
  const text = 'y'.repeat(70_000)
  const stale = String((await app.inject({ url: '/posts/1', headers: json })).headers.etag)
  await app.inject({ method: 'PATCH', url: '/posts/1', payload: { text: 'theirs' } })
  const form = asForm({ _method: 'PATCH', _if_match: stale, '_was.text': 'a', text })
  const conflict = await app.inject({ method: 'POST', url: '/posts/1/', ...form })
  const typed = { ...typedIn(formsOf(conflict.body)[0] ?? ''), text }
  assert.ok(conflict.body.includes(`<input type="radio" name="text" value="${text}" required>`))
  await app.inject({ method: 'POST', url: '/posts/1/', ...asForm(typed) })
  assert.equal((await app.inject('/posts/1')).json<{ text: unknown }>().text, text)
})
