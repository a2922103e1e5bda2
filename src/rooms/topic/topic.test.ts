import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/test-app.ts'

test('the value of a comes back as text', async (t) => {
  const app = await testApp(t)
  const answer = await app.inject('/topic?a=glass&sex=female&vehicle=bike&vehicle=car')
  assert.equal(answer.statusCode, 200)
  assert.match(answer.headers['content-type'] as string, /^text\/plain/)
  assert.match(answer.body, /glass/)
})
