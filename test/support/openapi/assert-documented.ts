import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { TestApp } from '../test-app.ts'
import { findUndocumented } from './documented.ts'
import { loadDocument } from './load-document.ts'
import type { GivenRequest } from './requests.ts'

export interface DocumentedRow extends Partial<Omit<GivenRequest, 'payload'>> {
  url: string
  payload?: string | Buffer | object
  status: number
}

/** Sends the requests one after the other, and compares the responses with the OpenAPI document. */
export async function assertDocumented(
  t: TestContext,
  app: TestApp,
  rows: readonly DocumentedRow[],
): Promise<void> {
  const document = await loadDocument(app)
  for (const { status, method = 'GET', payload, ...row } of rows) {
    await t.test(`${method} ${row.url}`, async () => {
      const isText = typeof payload === 'string' && row.headers?.['content-type'] === undefined
      const headers = { ...(isText && { 'content-type': 'application/json' }), ...row.headers }
      const request = { ...row, method, headers, ...(payload !== undefined && { payload }) }
      const response = await app.inject(request)
      assert.equal(response.statusCode, status, `${JSON.stringify(headers)}: ${response.body}`)
      assert.deepEqual(findUndocumented(document, request, response), [])
    })
  }
}
