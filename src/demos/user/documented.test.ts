import { test } from 'node:test'
import { assertDocumented } from '../../../test/support/openapi/assert-documented.ts'
import { testApp } from '../../../test/support/test-app.ts'

test('the responses of user are as documented', async (t) => {
  const app = await testApp(t)
  await assertDocumented(t, app, [
    { method: 'PUT', url: '/user/1', status: 200 },
    { url: '/user42', status: 200 },
  ])
})
