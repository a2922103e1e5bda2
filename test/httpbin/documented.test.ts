import { test } from 'node:test'
import assert from 'node:assert/strict'
import { findUndocumented } from '../support/openapi/documented.ts'
import { loadDocument } from '../support/openapi/load-document.ts'
import { resolve } from '../../src/http/openapi/component.ts'
import { testApp } from '../support/test-app.ts'

const conditions = [{}, { 'if-none-match': '*' }, { 'if-match': '"zz"' }, { accept: 'x/y' }]

for (const name of ['httpbin', 'go-httpbin']) {
  test(`${name}: the response to each example has the documented content`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: name, MAX_DURATION_SECONDS: '1' } })
    const document = await loadDocument(app)
    // The paths with a prefix are not documented if the demo is alone.
    for (const [template, { get: operation }] of Object.entries(document.paths)) {
      if (!operation?.tags.includes(name)) continue
      let url = template
      for (const parameter of operation.parameters ?? []) {
        const { name: key, example } = resolve(parameter)
        url = url.replace(`{${key}}`, encodeURIComponent(String(example)))
      }
      for (const headers of conditions) {
        await t.test(`${url} ${JSON.stringify(headers)}`, async () => {
          const response = await app.inject({ url, headers })
          assert.deepEqual(findUndocumented(document, { method: 'GET', url }, response), [])
        })
      }
    }
  })
}
