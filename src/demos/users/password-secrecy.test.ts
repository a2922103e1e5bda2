import assert from 'node:assert/strict'
import type { InjectOptions } from 'fastify'
import { test } from 'node:test'
import { asForm, createRecord } from '../../../test/support/resources.ts'
import { testApp } from '../../../test/support/test-app.ts'

const secret = 'nobody-may-read-this'
const accepts = ['text/html', 'application/json', 'text/plain', 'application/problem+json', '*/*']

/** Bodies that hold the password; those of the second list are rejected. */
const good = [{ name: 'Ann', password: secret }]
const bad = [
  { name: '', password: secret },
  { name: { nested: secret }, password: secret },
  { password: secret },
  { name: 'Ann', password: [secret] },
  { name: 'Ann', password: { [secret]: secret } },
  { name: 'Ann', password: secret.repeat(60) },
]

test('no response of any route and no log line contains a password or its hash', async (t) => {
  const app = await testApp(t, { settings: { LOG_LEVEL: 'trace' } })
  const { _id } = await createRecord(app, '/users', { name: 'Ann', password: secret })
  const output: string[] = []
  const send = async (request: InjectOptions) => {
    const { statusCode, headers, body } = await app.inject(request)
    assert.ok(statusCode < 500)
    output.push(JSON.stringify(headers), body)
  }

  for (const accept of accepts) {
    const headers = { accept }
    for (const url of [
      '/users',
      '/users?page=1',
      '/users/new',
      `/users/${_id}`,
      `/users/${_id}/edit`,
    ]) {
      await send({ url, headers })
      await send({ method: 'HEAD', url, headers })
      await send({ method: 'OPTIONS', url, headers })
    }
    for (const payload of [...good, ...bad]) {
      for (const prefer of ['handling=strict', 'return=minimal']) {
        const more = { headers: { ...headers, prefer }, payload }
        await send({ method: 'POST', url: '/users', ...more })
        await send({ method: 'PATCH', url: `/users/${_id}`, ...more })
        await send({ method: 'PUT', url: `/users/${_id}`, ...more })
        await send({ method: 'PUT', url: '/users/mine', ...more })
        await send({ method: 'PATCH', url: '/users/none', ...more })
        await send({ method: 'PUT', url: '/users/new', ...more })
        await send({ method: 'DELETE', url: '/users/mine', ...more })
      }
    }
    const form = { ...asForm({ name: '', password: secret }) }
    const typed = { ...form, headers: { ...form.headers, accept } }
    await send({ method: 'POST', url: '/users/', ...typed })
    await send({ method: 'POST', url: `/users/${_id}/?_method=PATCH`, ...typed })
    await send({ method: 'POST', url: `/users/${_id}/edit`, ...typed })
    await send({ url: `/users?password=${secret}`, headers })
    const broken = `{"name":"Ann","password":"${secret}`
    const json = { ...headers, 'content-type': 'application/json' }
    await send({ method: 'POST', url: '/users', headers: json, payload: broken })
    const xml = { ...headers, 'content-type': 'application/xml' }
    await send({ method: 'POST', url: '/users', headers: xml, payload: `<p>${secret}</p>` })
  }
  await send({ method: 'DELETE', url: `/users/${_id}` })

  assert.ok(app.logLines.length > 0)
  for (const [index, text] of [...output, ...app.logLines].entries()) {
    await t.test(`text ${String(index)}`, () => {
      assert.ok(!text.includes(secret))
      assert.ok(!text.includes('$argon2'))
    })
  }
})
