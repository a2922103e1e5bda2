import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRaw } from '../../test/support/request-both-ways.ts'
import { testApp } from '../../test/support/test-app.ts'

for (const target of ['/people/ü', '/ü', '/mirror/query?a=ü']) {
  test(`the error for a request of ${target} names percent-encoding`, async (t) => {
    const app = await testApp(t)
    for (const encoding of ['utf8', 'latin1'] as const) {
      const message = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`, encoding)
      const response = await sendRaw(app, message)
      assert.match(response, /^HTTP\/1\.1 400 /)
      assert.match(response, /Percent-encode/)
    }
  })
}
