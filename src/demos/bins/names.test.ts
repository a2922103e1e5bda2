import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewBin } from '../../../test/support/bins.ts'
import { testApp } from '../../../test/support/test-app.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'

test('a bin has a name in its JSON, on its page, and in the list of a browser with its secret', async (t) => {
  const app = await testApp(t)
  const name = '</title>Orders'
  const created = await app.inject({ method: 'POST', url: '/bins', payload: { name } })
  const { id, secret, ...bin } = created.json<NewBin>()
  assert.equal(bin.name, name)
  const open = async (path: string, key: string) => {
    const headers = { accept: 'text/html', cookie: `bin-${id}=${key}` }
    const { body } = await app.inject({ url: path, headers })
    assert.deepEqual(await findInvalid(body, path), [])
    return body
  }
  assert.match(await open(`/bins/${id}`, secret), /<title>&lt;\/title&gt;Orders · /)
  assert.match(await open('/bins', secret), /<bdi>&lt;\/title&gt;Orders<\/bdi>/)
  const guessed = await open('/bins', 'x')
  assert.match(guessed, new RegExp(id))
  assert.doesNotMatch(guessed, /Orders/)
  const change = async (payload: object) => {
    const headers = { authorization: `Bearer ${secret}` }
    const changed = await app.inject({ method: 'PATCH', url: `/bins/${id}`, headers, payload })
    return changed.json<NewBin>()
  }
  const response = { status: 201 }
  assert.deepEqual((await change({ response })).name, name)
  assert.partialDeepStrictEqual(await change({ name: ' ' + '😀'.repeat(99) }), {
    name: '😀'.repeat(99),
    response,
  })
  assert.equal((await change({ name: '' })).name, undefined)
})
