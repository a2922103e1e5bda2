import assert from 'node:assert/strict'
import { test } from 'node:test'
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
      assert.match(response.body, /<td dir="auto">53.5<\/td><td dir="auto">53.5</)
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
