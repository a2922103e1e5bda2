import { test } from 'node:test'
import { assertDocumented } from '../../../test/support/openapi/assert-documented.ts'
import { testApp } from '../../../test/support/test-app.ts'

test('the responses of api are as documented', async (t) => {
  const app = await testApp(t)
  await assertDocumented(t, app, [
    { url: '/api/json', status: 200 },
    { url: '/api/get_json_with_param?name=Ann', status: 200 },
    { url: '/api/json?a[b][c][d][e][f][g][h]=1', status: 400 },
    { method: 'POST', url: '/api/post_json_with_param', payload: '{', status: 400 },
  ])
})
