import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { testApp } from '../support/test-app.ts'
import { deviations } from './deviations.ts'
import { exchange, type RecordedResponse, type Row } from './exchange.ts'

type RecordedRow = Row & { response: RecordedResponse }

for (const recording of ['httpbin', 'go-httpbin', 'httpbin-slow', 'go-httpbin-slow']) {
  const name = recording.replace('-slow', '')
  const file = new URL(`recorded/${recording}.json`, import.meta.url)
  const rows = JSON.parse(readFileSync(file, 'utf8')) as RecordedRow[]

  test(`${recording}: responds as the recorded service`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: name, ALLOWED_HOSTS: '*' } })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    for (const [index, { response: recorded, ...row }] of rows.entries()) {
      const deviation = deviations[[name, row.line, row.name].filter(Boolean).join(' ')]
      await t.test(`${String(index)}: ${row.line} ${deviation ?? ''}`, async () => {
        const response = await exchange(port, row)
        if (deviation !== undefined) {
          assert.notDeepEqual(response, recorded)
          assert.ok(response.status < 500)
        } else if (recorded.status !== 500 || response.status !== 400) {
          assert.deepEqual(response, recorded)
        }
      })
    }
  })
}
