import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp } from '../../../test/support/test-app.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'

interface List {
  exchanges: { id: string }[]
}

const json = { accept: 'application/json' }
const page = { accept: 'text/html' }
const hostile = `<img src=x onerror=alert(1)>"'&\u202e</code></script>`

test('what a client sent is text in every page', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  const headers = { ...page, 'x-a': '<b>"\'&</script>', 'content-type': 'text/html' }
  const url = `/mirror/query?${encodeURIComponent('<i>')}=<s>`
  await app.inject({ method: 'POST', url, headers, payload: hostile })
  await app.inject({
    method: 'POST',
    url: '/mirror/field',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ a: hostile }).toString(),
  })
  const { exchanges } = (await app.inject({ url: '/inspector', headers: json })).json<List>()
  const ids = exchanges.map(({ id }) => id)
  const [one = '', other = ''] = ids
  for (const path of ['', ...ids.map((id) => `/${id}`), `/diff?a=${one}&b=${other}`]) {
    const { body, statusCode } = await app.inject({ url: `/inspector${path}`, headers: page })
    assert.equal(statusCode, 200)
    assert.doesNotMatch(body, /<(img|b|i|s)[ >]/)
    assert.deepEqual(await findInvalid(body, path), [])
  }
})
