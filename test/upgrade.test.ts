import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { emptyService, openService } from './cli/data-folder.ts'

// The service opens what version 0.1.0 left, and has all of it.
test('a database of version 0.1.0', async (t) => {
  const session = 'session=Pwst94vwGMbYbfZkH6aPAvcUWQphj0biDJe5-yhyzGc'
  const upload = 'ty1FE7ef2TZ7cBPwBk6bQg'
  const service = await emptyService(t)
  const files = join(service.folder, 'kept', 'files')
  await mkdir(files, { recursive: true })
  await writeFile(join(files, upload), 'glass\n')
  const database = new DatabaseSync(join(service.folder, 'kept', 'vitrine.db'))
  database.exec(await readFile(new URL('database-of-0.1.0.sql', import.meta.url), 'utf8'))
  database.close()
  const { origin } = await openService(t, service)
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(origin + path, { headers: { Accept: 'application/json', ...headers } })

  await t.test('has its users', async () => {
    const users = await (await get('/users?fields=_id,name')).json()
    assert.deepEqual(users, [
      { _id: 'ann', name: 'Anna' },
      { _id: 'zoe', name: 'Zoë ~ "q"' },
    ])
  })

  await t.test('keeps the validator of a record', async () => {
    const response = await get('/users/ann', { 'If-None-Match': '"2-mws40j7p-json"' })
    assert.equal(response.status, 304)
  })

  await t.test('has its locations, filtered by an index', async () => {
    const locations = await (await get('/locations?latitude:gt=50&fields=name')).json()
    assert.deepEqual(locations, [{ name: 'Oslo2' }])
  })

  await t.test('has its uploads', async () => {
    const response = await get(`/uploads/${upload}`)
    assert.match(String(response.headers.get('content-disposition')), /gl%C3%A4ser\.txt/)
    assert.equal(await response.text(), 'glass\n')
  })

  await t.test('keeps a user logged in', async () => {
    const { user } = (await (await get('/session', { Cookie: session })).json()) as {
      user: unknown
    }
    assert.deepEqual(user, { _id: 'ann', name: 'Anna' })
  })

  await t.test('has the passwords', async () => {
    const body = new URLSearchParams({ username: 'Anna', password: 'secret' })
    const response = await fetch(`${origin}/login`, { method: 'POST', body, redirect: 'manual' })
    assert.ok(response.headers.get('set-cookie'), String(response.status))
  })

  await t.test('responds to a repeated request as before', async () => {
    const headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'Idempotency-Key': '"key-1"',
    }
    const body = '{"name":"Idem","latitude":1,"longitude":2}'
    const response = await fetch(`${origin}/locations`, { method: 'POST', headers, body })
    assert.equal(response.headers.get('idempotency-replayed'), 'true')
    assert.equal(
      response.headers.get('location'),
      '/locations/01a2044c-566a-7411-8da1-ef16a7ee65ff',
    )
  })
})
