import { test } from 'node:test'
import { asMultipart } from '../../../test/support/multipart-form.ts'
import { assertDocumented } from '../../../test/support/openapi/assert-documented.ts'
import { testApp } from '../../../test/support/test-app.ts'

test('the responses of bodies are as documented', async (t) => {
  const app = await testApp(t)
  await assertDocumented(t, app, [
    { method: 'POST', url: '/users/post', payload: { a: [1] }, status: 200 },
    {
      method: 'POST',
      url: '/users/post/formdata',
      ...asMultipart([{ name: 'a', content: 'b' }]),
      status: 200,
    },
    {
      method: 'POST',
      url: '/users/post/raw',
      payload: 'a',
      headers: { 'content-type': 'text/plain' },
      status: 200,
    },
  ])
})
