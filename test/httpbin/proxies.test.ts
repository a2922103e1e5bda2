import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp } from '../support/test-app.ts'

const xff = { 'x-forwarded-for': '192.0.2.1, 192.0.2.2' }
const proto = { 'x-forwarded-proto': 'https' }
const host = { 'x-forwarded-host': 'public.test' }

type Headers = Readonly<Record<string, string>>
type Row = readonly [proxies: string, dialect: string, Headers, origin: string, base: string]

/** Both services believe any client; X-Forwarded-Host only counts from a proxy that is trusted. */
const rows: readonly Row[] = [
  ['', 'httpbin', {}, '127.0.0.1', 'http://own.test'],
  ['', 'httpbin', { ...xff, ...proto }, '192.0.2.1, 192.0.2.2', 'https://own.test'],
  ['', 'go-httpbin', { ...xff, ...proto }, '192.0.2.1', 'https://own.test'],
  ['', 'httpbin', host, '127.0.0.1', 'http://own.test'],
  ['127.0.0.1', 'httpbin', {}, '127.0.0.1', 'http://own.test'],
  [
    '127.0.0.1',
    'httpbin',
    { ...xff, ...proto, ...host },
    '192.0.2.1, 192.0.2.2',
    'https://public.test',
  ],
  ['127.0.0.1', 'go-httpbin', { ...xff, ...proto, ...host }, '192.0.2.1', 'https://public.test'],
  ['127.0.0.1', 'go-httpbin', proto, '127.0.0.1', 'https://own.test'],
]

for (const [proxies, dialect, headers, origin, base] of rows) {
  const names = Object.keys(headers).join(', ')
  test(`/${dialect}/get, TRUSTED_PROXIES '${proxies}', ${names || 'no header'}: ${base}`, async (t) => {
    const settings = { TRUSTED_PROXIES: proxies, ALLOWED_HOSTS: 'own.test,public.test' }
    const app = await catalogueApp(t, { settings })
    const response = await app.inject({
      url: `/${dialect}/get`,
      headers: { host: 'own.test', ...headers },
    })
    const { origin: shown, url } = response.json<{ origin: string; url: string }>()
    assert.deepEqual([shown, url], [origin, `${base}/${dialect}/get`])
  })
}
