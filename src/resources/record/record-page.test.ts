import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asForm, openRecord, samples } from '../../../test/support/resources.ts'

for (const { path, fields } of samples) {
  test(`the page of a record of ${path} links to the list, its form and its other representations`, async (t) => {
    const { app, _id, url } = await openRecord(t, path, fields)
    const { body } = await app.inject(url)
    for (const href of [path, ...['/edit', '.json', '.txt'].map((end) => `${path}/${_id}${end}`)]) {
      await t.test(href, async () => {
        assert.ok(body.includes(`href="${href}"`))
        assert.equal((await app.inject(href)).statusCode, 200)
      })
    }
  })

  test(`the page of a record of ${path} confirms a deletion, and deletes only the state it shows`, async (t) => {
    const { app, url } = await openRecord(t, path, fields)
    const { body } = await app.inject(url)
    const [, request = ''] = /<details class="confirm">(.*?)<\/details>/s.exec(body) ?? []
    assert.match(request, /^<summary>Delete<\/summary>/)
    assert.match(request, /This cannot be undone\./)
    const inputs = [...request.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const sent = Object.fromEntries(
      inputs.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]),
    )
    await app.inject({ method: 'PATCH', url, payload: { name: 'Other' } })
    assert.equal((await app.inject({ method: 'POST', url, ...asForm(sent) })).statusCode, 412)
    assert.equal((await app.inject(url)).statusCode, 200)
  })
}

test('the heading of a record with an invisible name is its id', async (t) => {
  const { app, _id, url } = await openRecord(t, '/places', { name: '\u3000' })
  const { body } = await app.inject(url)
  assert.ok(body.includes(`<h1>${_id}</h1>`))
})
