import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertDocumented } from '../../../test/support/openapi/assert-documented.ts'
import { useApp } from '../../../test/support/test-app.ts'
import { upload } from '../../../test/support/uploads.ts'

const sharedApp = useApp()

test('the responses of uploads are as documented', async (t) => {
  const app = sharedApp()
  await upload(app, 'glass')
  await assertDocumented(t, app, [
    { method: 'POST', url: '/profile', payload: '{}', status: 415 },
    { url: '/uploads', headers: { accept: 'application/json' }, status: 200 },
    { url: '/uploads/nothing', status: 404 },
  ])
})

test('the pages of uploads are marked in the navigation, and a 404 links to the list', async () => {
  const app = sharedApp()
  const headers = { accept: 'text/html' }
  const list = await app.inject({ url: '/uploads', headers })
  assert.match(list.body, /aria-current="page">Uploads</)
  const { body } = await app.inject({ url: '/uploads/unknown', headers })
  assert.ok(body.includes('aria-label="Breadcrumb"><a href="/uploads">All uploads</a>'))
})
