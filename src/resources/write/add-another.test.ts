import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { asForm } from '../../../test/support/resources.ts'
import { formsOf, tagsOf, typedIn } from '../../../test/support/tags.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'

const data = { posts: [{ id: 1, title: 'One' }], comments: [{ id: 1, body: 'a', postId: 1 }] }

for (const dialect of ['off', '0.17', '1']) {
  for (const query of ['', '?postId=1']) {
    const title = `/comments/new${query} with JSON_SERVER=${dialect}`
    test(`another record can be added after one of ${title}`, async (t) => {
      const settings = dialect === 'off' ? {} : { JSON_SERVER: dialect }
      const app = await dataApp(t, data, { settings })
      const accept = { accept: 'text/html' }
      const { body: page } = await app.inject({ url: `/comments/new${query}`, headers: accept })
      const form = formsOf(page)[0] ?? ''
      const action = tagsOf(form, 'button').find(({ formaction }) => formaction)?.formaction ?? ''
      const url = action.replaceAll('&amp;', '&')
      const { headers, payload } = asForm({ ...typedIn(form), body: 'b', postId: '1' })
      const post = { method: 'POST', url, headers: { ...headers, ...accept }, payload } as const
      const response = await app.inject(post)
      assert.equal(response.statusCode, 201, response.body)
      const location = String(response.headers.location)
      const own = `/comments/new${query}`
      assert.ok(response.body.includes(`<a href="${location}" data-own="${own}">${location}</a>`))
      assert.match(response.body, /<h1>New comment<\/h1>/)
      assert.deepEqual(await findInvalid(response.body, url), [])
      const next = formsOf(response.body)[0] ?? ''
      assert.equal(typedIn(next).body, '')
      assert.equal(/<option value="1" selected>One/.test(next), query !== '')
      assert.notEqual(typedIn(next)._idempotency_key, typedIn(form)._idempotency_key)
      // Sent twice, as by a double click, it is one record.
      const again = await app.inject(post)
      assert.equal(again.body, response.body)
      assert.equal((await app.inject('/comments.json')).json<unknown[]>().length, 2)
      const failed = await app.inject({ ...post, url: '/comments/?another=&postId=1', payload: '' })
      assert.equal(failed.statusCode, 201)
    })
  }
}

for (const button of ['Create comment', 'Save and add another']) {
  test(`after errors of “${button}”, the form still adds another record to the same parent`, async (t) => {
    const schema = {
      comments: { required: ['body'], properties: { body: { type: 'string', minLength: 1 } } },
    }
    const app = await dataApp(t, data, { schema })
    let { body } = await app.inject({
      url: '/comments/new?postId=1',
      headers: { accept: 'text/html' },
    })
    for (let count = 0; count < 2; count += 1) {
      const form = formsOf(body)[0] ?? ''
      const [{ action = '' } = {}] = tagsOf(form, 'form')
      const { formaction = '' } = tagsOf(form, 'button').find((each) => each.formaction) ?? {}
      assert.equal(formaction, '/comments/?postId=1&amp;another=')
      const url = (button === 'Create comment' ? action : formaction).replaceAll('&amp;', '&')
      const typed = asForm({ ...typedIn(form), body: '', postId: '1' })
      const response = await app.inject({ method: 'POST', url, ...typed })
      assert.equal(response.statusCode, 422)
      body = response.body
    }
  })
}

test('a client that accepts JSON gets the record', async (t) => {
  const app = await dataApp(t, data)
  const response = await app.inject({
    method: 'POST',
    url: '/comments?another=',
    payload: { body: 'b' },
  })
  assert.equal(response.statusCode, 201)
  assert.equal(response.json<{ body: string }>().body, 'b')
})
