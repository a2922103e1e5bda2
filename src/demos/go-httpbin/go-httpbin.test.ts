import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/support/test-app.ts'

test('the page of the demo is marked in the navigation', async (t) => {
  const app = await testApp(t)
  const headers = { accept: 'text/html' }
  const { body } = await app.inject({ url: '/demos/go-httpbin', headers })
  assert.match(body, /href="\/demos\/go-httpbin" aria-current="page"/)
})
