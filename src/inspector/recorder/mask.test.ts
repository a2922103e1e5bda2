import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formType } from '../../../test/support/resources.ts'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp({}, catalogueApp)

const secret = 'c0ffee-c0ffee'
const page = { accept: 'text/html' }

const masked: readonly (readonly [url: string, headers?: Readonly<Record<string, string>>])[] = [
  ...[
    ['authorization', secret],
    ['authorization', `Bearer ${secret}`],
    ['proxy-authorization', secret],
    ['cookie', secret],
    ['cookie', `a=b; ${secret}=1`],
    ['x-api-key', secret],
    ['apikey', secret],
    ['x-auth-token', secret],
    ['x_csrf_token', secret],
    ['x-amz-security-token', secret],
    ['client-secret', secret],
    ['x-session-id', secret],
    ['x-jwt', secret],
    ['x-password', secret],
    ['signature', secret],
    ['referer', `http://localhost/?access_token=${secret}`],
  ].map(([name = '', value = '']) => ['/api/json', { [name]: value }] as const),
  [`/mirror/query?a=1&token=${secret}`],
  [`/mirror/query?accessToken=${secret}&a=1`],
  [`/mirror/query?api.key=${secret}`],
  [`/mirror/query?user[password]=${secret}`],
  [`/mirror/query?user%5BAPIKey%5D=${secret}`],
  [`/mirror/query?%74oken=${secret}`],
  [`/mirror/query?JSESSIONID=${secret}`],
  [`/mirror/query?token=%22${secret}`],
  [`/mirror/query?token=a<${secret}`],
  [`/mirror/query?a=b?token=${secret}`],
  [`/mirror/query?a=1;token=${secret}`],
  [`/mirror/query?a,token=${secret}`],
  [`/mirror/query?%2574oken=${secret}`],
  [`/mirror/query?t%6Fken%FF=${secret}`],
  [`/mirror/query?a=http%253A%252F%252Fx%252F%253Fb%253D%2525%2526token%253D${secret}`],
  [`/mirror/query?a=http%253A%252F%252Fann%253A${secret}%2540x`],
  [`/mirror/query?json=%7B%22token%22%3A%22${secret}%22%7D%zz`],
  [`/mirror/query?a=http%3A%2F%2Fx%2F%3Ftoken%3D${secret}`],
  [`/mirror/query?json=%7B%22token%22:%22${secret}%22%7D`],
  [`/mirror/query?json={"headers":{"X-Token":"${secret}"}}`],
  [`/mirror/query?header=X-Api-Key:+${secret}`],
  [`/mirror/query?header=Set-Cookie:%20a=${secret}`],
  [`/mirror/query?trailer=Location:+/?token=${secret}`],
  [`/mirror/query?sessiontoken=${secret}&otp=${secret}`],
  ['/api/json', { referer: `http://ann:${secret}@localhost/` }],
  ['/api/json', { referer: `http://localhost/?a=token%3D1%2526${secret}` }],
  ['/api/json', { referer: `http://localhost/?json=%7B%22token%22:%22${secret}%22%7D` }],
  ['/api/json', { 'x-query': `token=${secret}` }],
  ['/api/json', { forwarded: `for=1.2.3.4;token=${secret}` }],
  ['/api/json', { 'x-csrf': secret }],
]

const binSecret = `vbs_${'Ab-'.repeat(10)}12`
const toEncoded = (text: string) =>
  Array.from(text, (one) => `%${one.charCodeAt(0).toString(16)}`).join('')
const encodedOften = `${'%7%3'.padEnd(12, '%3')}%36${binSecret.slice(1)}`
const twice = toEncoded(binSecret).replaceAll('%', '%25')

for (const [what, url, options] of [
  ['a header name', '/api/json', { headers: { ...page, [binSecret]: '1' } }],
  ['a target', `/mirror?a=${binSecret.replace('_', '%5F')}`, { headers: page }],
  ['an encoded target', `/mirror?a=${toEncoded(binSecret)}`, { headers: page }],
  ['a target that is encoded twice', `/mirror?a=${twice}`, { headers: page }],
  [
    'a partly encoded target',
    `/mirror?a=%56b%73_${binSecret.slice(4, 30)}${twice.slice(-50)}`,
    { headers: page },
  ],
  [
    'a target whose encoding is encoded',
    `/mirror?a=${toEncoded(toEncoded(binSecret))}`,
    { headers: page },
  ],
  [
    'a target with encoded digits',
    `/mirror?a=${binSecret.replace('v', '%7%36')}`,
    { headers: page },
  ],
  ['a target that is encoded very often', `/mirror?a=${encodedOften}`, { headers: page }],
  ['an encoded path', `/bins/a/${toEncoded(binSecret)}`, { headers: page }],
  [
    'an encoded Referer',
    '/api/json',
    { headers: { ...page, referer: `http://a/${toEncoded(binSecret)}` } },
  ],
  [
    'a form',
    '/responses/echo',
    { headers: { ...page, 'content-type': formType }, method: 'POST', payload: `a=${twice}` },
  ],
  [
    'JSON with escapes',
    '/responses/echo',
    {
      headers: { ...page, 'content-type': 'application/json' },
      method: 'POST',
      payload: `{"\\u0076bs\\u005f${binSecret.slice(4)}":"v\\u0062s_${binSecret.slice(4)}"}`,
    },
  ],
  ['a JSON key', '/responses/echo', { headers: page, method: 'POST', payload: { [binSecret]: 1 } }],
  [
    'a file name',
    '/responses/echo',
    {
      headers: { ...page, 'content-type': 'multipart/form-data; boundary=x' },
      method: 'POST',
      payload: `--x\r\nContent-Disposition: form-data; name=a; filename=${binSecret}\r\n\r\n1\r\n--x--`,
    },
  ],
] as const) {
  test(`the secret of a bin in ${what} is masked`, async () => {
    const app = sharedApp()
    const { headers } = await app.inject({ url, ...options })
    const id = /desc="(.*)"/.exec(String(headers['server-timing']))?.[1] ?? ''
    const { body } = await app.inject(`/inspector/${id}.har`)
    assert.match(body, /••••••/)
    assert.doesNotMatch(body, /Ab-Ab-Ab-|(%(25)*(41|62|2d)){6}|(%25%(34%31|36%32|32%64)){6}/i)
  })
}

const shown: typeof masked = [
  [`/mirror/query?author=${secret}`],
  [`/mirror/query?header=X-Author:+${secret}`],
  [`/mirror/query?monkey=${secret}&keyboard=${secret}`],
  [`/mirror/query?tokenizer=${secret}`],
  ['/api/json', { 'idempotency-key': secret }],
  ['/api/json', { 'sec-websocket-key': secret }],
  ['/api/json', { 'x-author': secret }],
]

for (const [rows, isShown] of [
  [masked, false],
  [shown, true],
] as const) {
  for (const [url, headers = {}] of rows) {
    test(`${isShown ? 'shown' : 'masked'}: ${url} ${JSON.stringify(headers)}`, async (t) => {
      const app = sharedApp()
      const response = await app.inject({ url, headers: { ...page, ...headers } })
      const id = /desc="(.*)"/.exec(String(response.headers['server-timing']))?.[1] ?? ''
      for (const accept of ['text/html', 'application/json', 'text/plain']) {
        await t.test(accept, async () => {
          const { statusCode, body } = await app.inject({
            url: `/inspector/${id}`,
            headers: { accept },
          })
          assert.equal(statusCode, 200)
          assert.equal(body.includes(secret), isShown, body)
        })
      }
    })
  }
}
