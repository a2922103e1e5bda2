import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecord, readNames } from '../../../test/support/resources.ts'
import { tagsOf } from '../../../test/support/tags.ts'
import { testApp } from '../../../test/support/test-app.ts'

test('after the selected records of a filtered list are deleted, the same list is shown', async (t) => {
  const app = await testApp(t)
  for (const name of ['Rome', 'Paris', 'Oslo']) await createRecord(app, '/places', { name })
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const list = '/places?name%3Ane=Oslo&sort=name'
  const { body } = await app.inject({ url: list, headers })
  const action = tagsOf(body, 'form').find(({ id }) => id === 'bulk')?.action ?? ''
  const chosen = tagsOf(body, 'input').filter(({ name }) => name === 'delete')
  assert.equal(chosen.length, 2)
  const payload = new URLSearchParams({ delete: chosen[0]?.value ?? '' }).toString()
  const url = action.replaceAll('&amp;', '&')
  const response = await app.inject({ method: 'POST', url, headers, payload })
  assert.deepEqual([response.statusCode, response.headers.location], [303, list])
  assert.equal((await app.inject({ url: list, headers })).statusCode, 200)
  assert.equal(await readNames(app, '/places'), 'Rome Oslo')
})
