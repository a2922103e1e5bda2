import { test } from 'node:test'
import { assertDocumented } from '../../../test/support/openapi/assert-documented.ts'
import { browserAccept } from '../../../test/support/resources.ts'
import { testApp } from '../../../test/support/test-app.ts'

test('the responses of sessions are as documented', async (t) => {
  const app = await testApp(t)
  await assertDocumented(t, app, [
    { url: '/login', status: 200 },
    { method: 'POST', url: '/login', payload: { username: 'Nobody', password: 'x' }, status: 401 },
    { method: 'POST', url: '/login', payload: { username: 'Nobody' }, status: 422 },
    { url: '/session', headers: { accept: 'application/json' }, status: 200 },
    { url: '/session', status: 302 },
    { method: 'POST', url: '/logout', headers: { accept: browserAccept }, status: 303 },
    { method: 'DELETE', url: '/session', status: 200 },
  ])
})
