import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asMultipart, asUpload, type FormPart } from '../support/multipart-form.ts'
import { formType } from '../support/resources.ts'
import { startWatched, useWatched } from '../support/watched-vitrine.ts'

const json = 'application/json'
const watched = useWatched()

test('no key changes a prototype', async (t) => {
  const { origin, assertSound } = watched()
  const keys = '__proto__ constructor prototype hasOwnProperty toString then toJSON'.split(' ')
  const pairs = keys.flatMap((key) => [
    `${key}=1`,
    `${key}[polluted]=1`,
    `a[${key}][polluted]=1`,
    `a[]=1&a[${key}]=1`,
    `constructor[prototype][${key}]=1`,
    `${encodeURIComponent(key)}[prototype][polluted]=1`,
  ])
  for (const pair of pairs) {
    for (const path of ['/users/post', '/mirror/field', '/people', '/login']) {
      await t.test(`${path} ${pair}`, async () => {
        const sent = { method: 'POST', headers: { 'content-type': formType }, body: pair }
        const form = await fetch(origin + path, { ...sent, redirect: 'manual' })
        assert.ok(form.status < 500 && (await fetch(`${origin}/mirror/query?${pair}`)).status < 500)
      })
    }
  }
  for (const key of keys) {
    await t.test(key, async () => {
      const value = `{"${key}":{"polluted":1,"prototype":{"polluted":1}},"name":"a","password":"b"}`
      for (const content of [value, `{"a":${value}}`, value.replace(key[0] ?? '', '\\u005f')]) {
        for (const path of ['/users/post', '/login']) {
          const headers = { 'content-type': json }
          const response = await fetch(origin + path, { method: 'POST', headers, body: content })
          assert.ok(response.status < 500, `${path} ${content}`)
        }
      }
      const { headers, payload: body } = asMultipart([{ name: key, content: '1' }])
      const response = await fetch(`${origin}/users/post/formdata`, {
        method: 'POST',
        headers,
        body: Buffer.from(body),
      })
      assert.ok(response.status < 500)
    })
  }
  const plain = await fetch(`${origin}/users/post`, {
    method: 'POST',
    body: '{"a":{}}',
    headers: { 'content-type': json },
  })
  assert.equal(await plain.text(), '{"a":{}}')
  const shown = await fetch(`${origin}/health`, { headers: { accept: json } })
  assert.deepEqual(Object.keys((await shown.json()) as object), ['status'])
  await assertSound()
})

test('U+0000 and unpaired surrogates are never stored', async (t) => {
  const { origin, assertSound } = watched()
  const texts = ['a\\u0000b', '\\ud800', '\\udc00x', 'x\\ud83d']
  for (const text of texts) {
    await t.test(text, async () => {
      const contents: [path: string, content: string][] = [
        ['/people', `{"name":"${text}","password":"x"}`],
        ['/people', `{"name":"x","password":"${text}"}`],
        ['/places', `{"name":"${text}"}`],
        ['/places', `{"name":"x","note":"${text}"}`],
        ['/places', `{"name":"x","${text}":"y"}`],
      ]
      for (const [path, body] of contents) {
        for (const method of ['POST', 'PUT']) {
          const url = method === 'PUT' ? `${origin}${path}/one` : origin + path
          const response = await fetch(url, { method, headers: { 'content-type': json }, body })
          assert.deepEqual([body, response.status], [body, 400])
        }
      }
    })
  }
  for (const body of [
    'name=a%00b&password=x',
    'name=x&password=%00',
    'name=%ed%a0%80&password=x',
  ]) {
    await t.test(body, async () => {
      const headers = { 'content-type': formType }
      const response = await fetch(`${origin}/people`, { method: 'POST', headers, body })
      assert.deepEqual([body, response.status], [body, 400])
    })
  }
  for (const path of ['/people', '/places']) {
    await t.test(path, async () => {
      assert.deepEqual(await (await fetch(origin + path, { headers: { accept: json } })).json(), [])
    })
  }
  await assertSound()
})

const longId = 'x'.repeat(1000)
const ids = ['1e3', '01', '-1', '0', '1;drop', '99999999999999', 'null', 'undefined', '__proto__']
const encodedIds = [
  '%2F',
  '%252e%252e',
  '%00',
  '%20',
  '%F0%9F%98%80',
  '%25',
  "'",
  '%22',
  '*',
  'a%2Fb',
  longId,
]

test('an impossible id is not found, whatever it looks like', async (t) => {
  const { origin, assertSound } = watched()
  for (const id of [...ids, ...encodedIds]) {
    await t.test(id, async () => {
      for (const path of ['/people', '/places', '/uploads']) {
        for (const method of ['GET', 'HEAD', ...(path === '/uploads' ? [] : ['PATCH', 'DELETE'])]) {
          const { status } = await fetch(`${origin}${path}/${id}`, { method })
          assert.ok([400, 404].includes(status), `${method} ${path}/${id}: ${String(status)}`)
        }
      }
      assert.ok([400, 404].includes((await fetch(`${origin}/people/${id}/edit`)).status))
    })
  }
  for (const id of ['%', '%ff', '%c0%ae', '%ed%a0%80']) {
    await t.test(id, async () => {
      assert.equal((await fetch(`${origin}/people/${id}`)).status, 400)
    })
  }
  assert.equal((await fetch(`${origin}/people/${'x'.repeat(10_000)}`)).status, 414)
  for (const id of [...encodedIds, 'new', 'post', 'x'.repeat(65)]) {
    await t.test(id, async () => {
      const put = { method: 'PUT', headers: { 'content-type': json }, body: '{"name":"a"}' }
      const { status } = await fetch(`${origin}/places/${id}`, put)
      assert.ok([400, 404, 405].includes(status), `PUT ${id}: ${String(status)}`)
    })
  }
  await assertSound()
})

test('parts of a form over their limits get 413 or 400 and are not stored', async (t) => {
  const { origin, assertSound } = await startWatched(t, {
    MAX_BODY_BYTES: '100000',
    MAX_UPLOAD_BYTES: '50000',
  })
  const many = (count: number, part: FormPart) => Array.from({ length: count }, () => part)
  const cases: [what: string, path: string, parts: FormPart[], allowed: number[]][] = [
    [
      'a field of 300 KB',
      '/users/post/formdata',
      [{ name: 'a', content: 'x'.repeat(300_000) }],
      [413],
    ],
    [
      '10,000 fields',
      '/users/post/formdata',
      many(10_000, { name: 'a', content: '1' }),
      [400, 413],
    ],
    ['300 files', '/users/post/formdata', many(300, { name: 'pic', fileName: 'a' }), [400, 413]],
    [
      'a file too large',
      '/profile',
      [{ name: 'upfiles', fileName: 'a', content: 'x'.repeat(50_001) }],
      [413],
    ],
    ['two files', '/profile', many(2, { name: 'upfiles', fileName: 'a', content: 'x' }), [400]],
    ['300 files to one', '/profile', many(300, { name: 'upfiles', fileName: 'a' }), [400, 413]],
    [
      'a name of 10,000 characters',
      '/profile',
      [{ name: 'x'.repeat(10_000), fileName: 'a' }],
      [400, 413],
    ],
    ['a part without a name', '/profile', [{ fileName: 'a', content: 'x' }], [400]],
    ['a part without a disposition', '/profile', [{ disposition: '', content: 'x' }], [400]],
    ['another field', '/profile', [{ name: 'other', fileName: 'a', content: 'x' }], [400]],
    ['a text in place of the file', '/profile', [{ name: 'upfiles', content: 'x' }], [400]],
    ['no file', '/profile', [{ name: 'upfiles', fileName: '', content: '' }], [400]],
    ['nothing', '/profile', [], [400]],
  ]
  for (const [what, path, parts, allowed] of cases) {
    await t.test(`${what} ${path}`, async () => {
      const { headers, payload } = asMultipart(parts)
      const body = Buffer.from(payload)
      const { status } = await fetch(origin + path, { method: 'POST', headers, body })
      assert.ok(allowed.includes(status), `${what}: ${String(status)}`)
    })
  }
  const { headers, payload } = asUpload('x')
  const cut = Buffer.from(payload.subarray(0, -10))
  assert.equal(
    (await fetch(`${origin}/profile`, { method: 'POST', headers, body: cut })).status,
    400,
  )
  const list = await fetch(`${origin}/uploads`, { headers: { accept: json } })
  assert.deepEqual(await list.json(), [])
  await assertSound()
})
