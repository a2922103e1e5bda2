import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import {
  asForm,
  createRecord,
  findStored,
  openStored,
  readRecord,
  temporaryDatabase,
} from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

/** Whether a stored argon2id hash in the PHC string format is that of this password. */
function isHashOf(stored: unknown, password: string): boolean {
  const [, algorithm, version, parameters = '', salt = '', hash = ''] = String(stored).split('$')
  assert.deepEqual([algorithm, version], ['argon2id', 'v=19'])
  const [, m, t, p] = /^m=(\d+),t=(\d+),p=(\d+)$/.exec(parameters) ?? []
  const nonce = Buffer.from(salt, 'base64')
  const tag = Buffer.from(hash, 'base64')
  const options = { memory: Number(m), passes: Number(t), parallelism: Number(p) }
  const derived = { ...options, message: password, nonce, tagLength: tag.length }
  assert.ok(nonce.length >= 16 && tag.length >= 32)
  return argon2Sync('argon2id', derived).equals(tag)
}

const accepted: [what: string, fields: { name: string; password: string }][] = [
  ['one character each', { name: 'a', password: 'b' }],
  ['a name of 200 characters', { name: 'n'.repeat(200), password: 'b' }],
  ['a name of 200 emoji', { name: '😀'.repeat(200), password: 'b' }],
  ['a password of 1,024 bytes', { name: 'a', password: 'p'.repeat(1024) }],
  ['a password of 512 letters of two bytes', { name: 'a', password: 'é'.repeat(512) }],
  ['a password of 256 emoji of four bytes', { name: 'a', password: '😀'.repeat(256) }],
  ['a password of blanks', { name: 'a', password: '   ' }],
]

for (const [what, fields] of accepted) {
  test(`a user may have ${what}, and the password is stored as its argon2id hash`, async (t) => {
    const { app, url, readStored } = await openStored(t, '/users', fields)
    assert.equal((await readRecord(app, url)).name, fields.name)
    const stored = await readStored()
    assert.deepEqual(Object.keys(stored?.document ?? {}).toSorted(), ['name', 'password'])
    assert.ok(isHashOf(stored?.document.password, fields.password))
    assert.ok(!isHashOf(stored?.document.password, `${fields.password}x`))
  })
}

const rejected: [what: string, fields: Record<string, unknown>, bad: string[]][] = [
  ['nothing', {}, ['name', 'password']],
  ['no password', { name: 'a' }, ['password']],
  ['no name', { password: 'b' }, ['name']],
  ['blanks for both', { name: '', password: '' }, ['name', 'password']],
  ['null for both', { name: null, password: null }, ['name', 'password']],
  ['a name of 201 characters', { name: 'n'.repeat(201), password: 'b' }, ['name']],
  ['a name of 201 emoji', { name: '😀'.repeat(201), password: 'b' }, ['name']],
  ['a password of 1,025 bytes', { name: 'a', password: 'p'.repeat(1025) }, ['password']],
  ['513 letters of two bytes', { name: 'a', password: 'é'.repeat(513) }, ['password']],
  ['a password one byte over', { name: 'a', password: `${'é'.repeat(512)}p` }, ['password']],
  ['257 emoji for a password', { name: 'a', password: '😀'.repeat(257) }, ['password']],
  ['numbers for both', { name: 1, password: 2 }, ['name', 'password']],
  ['lists for both', { name: ['a'], password: ['b'] }, ['name', 'password']],
  ['objects for both', { name: {}, password: { $ne: '' } }, ['name', 'password']],
]

for (const [what, payload, bad] of rejected) {
  test(`a user may not have ${what}`, async () => {
    const app = sharedApp()
    const headers = { accept: 'application/json' }
    const requests = [
      { method: 'POST', url: '/users' },
      { method: 'PUT', url: '/users/mine' },
    ] as const
    for (const request of requests) {
      const response = await app.inject({ ...request, headers, payload })
      assert.equal(response.statusCode, 422)
      const { errors } = response.json<{ errors: { pointer: string }[] }>()
      assert.deepEqual([...new Set(errors.map(({ pointer }) => pointer.slice(2)))].toSorted(), bad)
    }
    assert.deepEqual((await app.inject({ url: '/users', headers })).json(), [])
  })
}

test('the same password of two users is stored as two different hashes', async (t) => {
  const databaseUrl = await temporaryDatabase(t)
  const app = await testApp(t, { settings: { DATABASE_URL: databaseUrl } })
  const fields = { name: 'Ann', password: 'correct horse' }
  const hashes = [
    await findStored(databaseUrl, 'users', (await createRecord(app, '/users', fields))._id),
    await findStored(databaseUrl, 'users', (await createRecord(app, '/users', fields))._id),
  ].map((record) => record?.document.password)
  assert.notEqual(hashes[0], hashes[1])
})

const json = (fields: object) => ({ payload: fields })

const edits = [
  ['PATCH of another field', 'PATCH', json({ name: 'New' }), 'old password'],
  ['PATCH with a new password', 'PATCH', json({ password: 'new' }), 'new'],
  ['form with a blank password', 'PATCH', asForm({ name: 'New', password: '' }), 'old password'],
  ['form with a new password', 'PATCH', asForm({ name: 'New', password: 'new' }), 'new'],
  ['form that leaves it out', 'PATCH', asForm({ name: 'New' }), 'old password'],
  ['PUT without one', 'PUT', json({ name: 'New' }), 'old password'],
  ['PUT with a new one', 'PUT', json({ name: 'New', password: 'new' }), 'new'],
] as const

for (const [what, method, request, password] of edits) {
  test(`after a ${what} the password is "${password}"`, async (t) => {
    const old = { name: 'Ann', password: 'old password' }
    const { app, url, readStored } = await openStored(t, '/users', old)
    const before = await readStored()
    assert.ok((await app.inject({ method, url, ...request })).statusCode < 400)
    const after = await readStored()
    if (password === 'new') assert.ok(isHashOf(after?.document.password, password))
    else assert.equal(after?.document.password, before?.document.password)
  })
}

const badEdits = [
  ['PATCH', json({ password: '' })],
  ['PATCH', json({ password: null })],
  ['PATCH', json({ password: 5 })],
  ['PATCH', json({ password: 'é'.repeat(513) })],
  ['PUT', json({ name: 'New', password: '' })],
] as const

for (const [method, request] of badEdits) {
  test(`${method} with ${JSON.stringify(request.payload).slice(0, 40)} is 422 and changes nothing`, async (t) => {
    const { app, url, readStored } = await openStored(t, '/users', { name: 'Ann', password: 'old' })
    const before = await readStored()
    const response = await app.inject({ method, url, ...request })
    assert.equal(response.statusCode, 422)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    const pointers = errors.map(({ pointer }) => pointer)
    assert.deepEqual(pointers, ['#/password'])
    assert.deepEqual(await readStored(), before)
  })
}

test('a blank password in the new form is rejected, and the form still has the name', async () => {
  const app = sharedApp()
  const request = asForm({ name: 'Ann Typed', password: '' })
  const response = await app.inject({ method: 'POST', url: '/users/', ...request })
  assert.equal(response.statusCode, 422)
  assert.match(response.body, /value="Ann Typed"/)
  assert.match(response.body, /Password must not be empty/)
})

test('with all demos, /users is the resource, in text too', async () => {
  const app = sharedApp()
  assert.match(String((await app.inject('/users')).headers['content-type']), /^text\/html/)
  const payload = { name: 'ann', password: 'glass' }
  const created = await app.inject({ method: 'POST', url: '/users', payload })
  assert.equal(created.statusCode, 201)
  const url = String(created.headers.location)
  const text = await app.inject({ url, headers: { accept: 'text/plain' } })
  assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8')
  assert.ok(text.body.includes(url.slice('/users/'.length)))
  const list = await app.inject({ url: '/users', headers: { accept: 'text/plain' } })
  assert.equal(list.headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal((await app.inject('/users/nobody')).statusCode, 404)
})
