import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { formType } from '../../../test/support/resources.ts'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'
import { maskBody } from './mask-body.ts'

const sharedApp = useApp({}, catalogueApp)
const inspectedApp = useApp({ settings: { INSPECTOR: 'all' } }, catalogueApp)

const secret = 'c0ffee-c0ffee'
const shown = 'shown-text'
const json = 'application/json'
const multipart = 'multipart/form-data; boundary=x'
const part = (head: string, content: string) =>
  `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`

const rows: readonly (readonly [type: string, body: string])[] = [
  [formType, `name=${shown}&password=${secret}`],
  [formType, `pass%77ord=${secret}&name=${shown}`],
  [formType, `user[access_token]=${secret}#b+c d&name=${shown}`],
  [formType, `api+key=${secret}&name=${shown}`],
  [formType, `name=${shown}&url=http%3A%2F%2Fx%2F%3Ftoken%3D${secret}`],
  [json, `{"name":"${shown}","password":"${secret}"}`],
  [json, `{ "password" : "${secret}", "name" : "${shown}" }`],
  [json, `{"pass\\u0077ord":"${secret}","name":"${shown}"}`],
  [json, `{"password":"\\"${secret}\\\\","name":"${shown}"}`],
  [json, `{"\\q-t\\u006fken":"${secret}","name":"${shown}"}`],
  [json, `{"name":"${shown}","\n-t\\u006fken":"${secret}"}`],
  [json, `{"name":"${shown}","text":"{\\"t\\u006fken\\":\\"${secret}`],
  [json, `{"tokens":[["${secret}"],{"a":"${secret}"}],"name":"${shown}"}`],
  [json, `{"token":{"a":"}","b":"${secret}"},"name":"${shown}"}`],
  [json, `[{"name":"${shown}"},{"a":{"apiKey":"${secret}"}}]`],
  [json, `{"name":"${shown}","a":"b\\":","secret":"${secret}"}`],
  [json, `{"name":"${shown}","password":"${secret}`],
  [json, `{"name":"${shown}","password":["${secret}"`],
  [json, `{"name":"${shown}","url":"http://x/?token=${secret}"}`],
  [json, `{"name":"${shown}","text":"{\\"password\\":\\"${secret}\\"}"}`],
  ['', `{"name":"${shown}","password":"${secret}"}`],
  ['text/plain', `{"name":"${shown}","password":"${secret}"}`],
  ['text/plain', `name=${shown}&password=${secret}`],
  ['text/plain', `${shown} failed: {"user":"ann","password": "${secret}"}`],
  ['text/plain', `${shown} failed: {"a":["?token=${secret} ",{"pin" : [${secret}]}]}`],
  ['text/html', `<p class="a">${shown} "api_key":\n"${secret}"`],
  ['text/plain', `token="${secret}" for "name": ${shown}`],
  ['application/octet-stream', `{"name":"${shown}","password":"${secret}"}`],
  [multipart, `${part('name="name"', shown)}${part('name="password"', secret)}--x--`],
  [multipart, `${part('name=password', secret)}${part('name=name', shown)}--x--`],
  [multipart, `${part('name="password"; filename="a"', secret)}${part('name="a"', shown)}--x--`],
  [multipart, `${part('name="a"', `{"token":"${secret}"}`)}${part('name="b"', shown)}--x--`],
  [multipart, `${part('name="b"', shown)}${part('name="password"', secret)}`],
  [
    multipart,
    `${part('name="b"', shown)}${part('name="password"', secret)}--x--`.replaceAll(
      'x\r\nC',
      'x\r\nX-A: 1\r\nC',
    ),
  ],
  [multipart, `${part('\r\n name="password"', secret)}${part('name="b"', shown)}--x--`],
  [multipart, `${part('x-name=foo; name=password', secret)}${part('name="b"', shown)}--x--`],
  [multipart, `${part("name*=utf-8''pass%77ord", secret)}${part('name="b"', shown)}--x--`],
  [
    multipart,
    `${part('name=a\r\nContent-Disposition: form-data; name=password', secret)}${part('name="b"', shown)}--x--`,
  ],
  [
    multipart,
    `${part('name="data"\r\nContent-Type: application/xml', `{"password":"${secret}"}`)}${part('name="b"', shown)}--x--`,
  ],
  [formType, `name=${shown}&payload=%7B%22password%22%3A%22${secret}%22%7D`],
  [formType, `name=${shown}&payload=%7B%22password%22%3A%22${secret}%22%7D%zz%ff`],
  [formType, `name=${shown}&pass%77ord%zz=${secret}`],
  [formType, `name=${shown}&pass%2577ord=${secret}`],
  [json, `{"name":"${shown}","http://x/?token=${secret}":1}`],
  [json, `{"name":"${shown}","a":"http://x/?b=%7B%22password%22:%22${secret}%22%7D"}`],
  [json, `{"name":"${shown}","a":"b=%257B%2522password%2522%253A%2B%2522${secret}%2522%257D"}`],
  ['text/plain', `http://x/?name=${shown}&url=%2Fa%3Ftoken%3D1%2526${secret}`],
  ...['multipart/form-data; boundary=x ; a=b', `${multipart};x-boundary=y`, 'text/plain', ''].map(
    (type) => [type, `${part('name="b"', shown)}${part('name="password"', secret)}--x--`] as const,
  ),
]

for (const [type, body] of rows) {
  test(`secrets are masked in ${type}: ${JSON.stringify(body)}`, async () => {
    const app = sharedApp()
    const id = randomUUID()
    const headers = { 'x-request-id': id, ...(type && { 'content-type': type }) }
    // The response has what was sent.
    await app.inject({ method: 'POST', url: '/httpbin/post', headers, payload: body })
    for (const accept of ['text/html', 'application/json']) {
      const url = `/inspector?request_id=${id}`
      const response = await app.inject({ url, headers: { accept } })
      assert.ok(!response.body.includes(secret), response.body)
      if (accept === 'application/json') assert.ok(response.body.includes(shown), response.body)
    }
    assert.ok(!app.logLines.some((line) => line.includes(secret)))
  })
}

test('bytes that are not UTF-8 are masked too', async () => {
  const app = sharedApp()
  const id = randomUUID()
  const file = part('name="f"; filename="f"', '\xff\0')
  const payload = Buffer.from(`${file}${part('name="password"', secret)}--x--`, 'latin1')
  const headers = { 'x-request-id': id, 'content-type': multipart }
  await app.inject({ method: 'POST', url: '/httpbin/post', headers, payload })
  const url = `/inspector?request_id=${id}`
  const { body } = await app.inject({ url, headers: { accept: json } })
  assert.ok(body.includes(Buffer.from('\xff\0', 'latin1').toString('hex')))
  assert.ok(!body.includes(Buffer.from(secret).toString('hex')))
})

test('the secrets in a body that was compressed twice are not shown', async () => {
  const app = sharedApp()
  const id = randomUUID()
  const headers = { 'x-request-id': id, 'content-type': json, 'content-encoding': 'gzip' }
  const payload = gzipSync(gzipSync(JSON.stringify({ name: shown, password: secret })))
  await app.inject({ method: 'POST', url: '/httpbin/post', headers, payload })
  const { exchanges } = (
    await app.inject({ url: `/inspector?request_id=${id}`, headers: { accept: json } })
  ).json<{ exchanges: { id: string }[] }>()
  const url = `/inspector/${exchanges[0]?.id ?? ''}`
  const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
  assert.match(body, /Shown in hexadecimal notation/)
  assert.ok(!body.includes(secret))
})

/** Each text is a member of the next. */
const toNested = (depth: number, wrap: (text: string) => string, text: string): string =>
  depth === 0 ? text : toNested(depth - 1, wrap, wrap(text))
const asMember = (text: string) => JSON.stringify({ name: shown, text })
const asParameter = (text: string) => `http://x/?name=${shown}&url=${encodeURIComponent(text)}`
const asForm = (text: string) => `name=${shown}&text=${encodeURIComponent(text)}`
const asPart = (text: string) => {
  const boundary = `b${String(text.length)}`
  const type = `Content-Type: multipart/form-data; boundary=${/^--(\w+)/.exec(text)?.[1] ?? ''}`
  const head = `--${boundary}\r\nContent-Disposition: form-data; name=a\r\n`
  return `${head}\r\n${shown}\r\n${head}${type}\r\n\r\n${text}\r\n--${boundary}--`
}

for (const [what, type, wrap, inner] of [
  ['JSON texts', json, asMember, `{"password":"${secret}"}`],
  ['URLs', 'text/plain', asParameter, `http://x/?token=${secret}`],
  ['forms', formType, asForm, `password=${secret}`],
  [
    'multipart bodies',
    '',
    asPart,
    `--x\nContent-Disposition: form-data; name=password\n\n${secret}`,
  ],
  ['JSON texts in forms', formType, (text: string) => asForm(asMember(text)), `password=${secret}`],
] as const) {
  for (const depth of [1, 2, 3, 4, 5, 9]) {
    test(`secrets in ${String(depth)} nested ${what} are masked`, () => {
      const masked = maskBody(type, toNested(depth, wrap, inner))
      assert.ok(!masked.includes(secret), masked)
      if (depth < 4) assert.ok(masked.includes(shown), masked)
    })
  }
}

for (const depth of [1, 2, 3, 4, 5, 9]) {
  test(`a secret at the end of ${String(depth)} nested JSON texts that end early is masked`, () => {
    const whole = toNested(depth, asMember, `{"password":"${secret}"}`)
    const masked = maskBody(json, whole.slice(0, whole.indexOf(secret) + secret.length))
    assert.ok(!masked.includes(secret), masked)
  })
}

const long = `${'ba'.repeat(150)}c`

type Echo = readonly [
  what: string,
  url: string,
  headers: object,
  body?: string | undefined,
  secret?: string,
]

const echoes: readonly Echo[] = [
  ['a form', '/users/post', { 'content-type': formType }, `password=${secret}`],
  ...[
    `"pin":123456,"password":"${secret}"`,
    `"otp":null,"password":"${secret}"`,
    `"tokens":["abcdefg"],"password":"${secret}"`,
    `"password":${secret}`,
    `"tokens":{"a":["${secret}"]}`,
  ].map(
    (members) =>
      ['JSON', '/responses/echo', { 'content-type': 'text/plain' }, `{${members}}`] as const,
  ),
  ['JSON', '/users/post', { 'content-type': json }, `{"password":"${secret}"}`],
  ['Authorization', '/go-httpbin/dump/request', { authorization: `Bearer ${secret}` }],
  ['cookies', '/go-httpbin/dump/request', { cookie: `a=1; b=${secret}` }],
  ['few characters', '/responses/echo', { 'content-type': json }, '{"pin":"Zq9_x"}', 'Zq9_x'],
  ['few characters', '/go-httpbin/dump/request', { authorization: 'Zq9_x' }, undefined, 'Zq9_x'],
  ['many characters', '/responses/echo', {}, `{"token":"${long}"}`, long],
  ['X-Inspector', '/go-httpbin/dump/request', { 'x-inspector': `<${secret}-0>` }],
]

for (const [what, url, fields, payload, hidden = secret] of echoes) {
  test(`a response that returns a secret of ${what} is masked: ${(payload ?? url).slice(0, 60)}`, async () => {
    const app = inspectedApp()
    const id = randomUUID()
    const headers = { accept: 'text/html', 'x-request-id': id, ...fields }
    const method = payload === undefined ? 'GET' : 'POST'
    const sent = await app.inject({ method, url, headers, ...(payload && { payload }) })
    assert.ok(sent.body.includes(hidden), sent.body)
    for (const accept of ['text/html', 'application/json']) {
      const found = { url: `/inspector?request_id=${id}`, headers: { accept } }
      const { body } = await app.inject(found)
      assert.ok(body.includes(url) && !body.includes(hidden), body)
    }
  })
}

test('a response that returns more secrets than can be looked for is masked as a whole', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  const tokens = Array.from({ length: 151 }, (_, index) => `secret-${String(index)}`)
  await app.inject({ method: 'POST', url: '/responses/echo', payload: { tokens, shown } })
  const { body } = await app.inject('/inspector.har')
  assert.match(body, /••••••/)
  assert.doesNotMatch(body, /secret-\d/)
})
