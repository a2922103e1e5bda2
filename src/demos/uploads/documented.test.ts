import { test } from 'node:test'
import { assertDocumented } from '../../../test/openapi/assert-documented.ts'
import { testApp } from '../../../test/test-app.ts'
import { upload } from '../../../test/uploads.ts'

test('the responses of uploads are as documented', async (t) => {
  const app = await testApp(t)
  await upload(app, 'glass')
  await assertDocumented(t, app, [
    { method: 'POST', url: '/profile', payload: '{}', status: 415 },
    { url: '/uploads', headers: { accept: 'application/json' }, status: 200 },
    { url: '/uploads/nothing', status: 404 },
  ])
})
