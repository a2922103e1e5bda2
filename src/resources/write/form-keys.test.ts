import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asForm, samples } from '../../../test/support/resources.ts'
import { inputNamed, tagsOf } from '../../../test/support/tags.ts'
import { testApp, type TestApp } from '../../../test/support/test-app.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'

const json = { accept: 'application/json' }

async function openForm(app: TestApp, path: string): Promise<string> {
  return inputNamed((await app.inject(`${path}/new`)).body, '_idempotency_key')?.value ?? ''
}

async function countRecords(app: TestApp, path: string): Promise<number> {
  return (await app.inject({ url: path, headers: json })).json<unknown[]>().length
}

for (const { path, fields } of samples) {
  test(`every new form of ${path} has its own key, and no tag`, async (t) => {
    const app = await testApp(t)
    const [one, other] = [await openForm(app, path), await openForm(app, path)]
    assert.match(one, /^[0-9a-f-]{36}$/)
    assert.notEqual(one, other)
    const { headers } = await app.inject(`${path}/new`)
    assert.equal(headers.etag, undefined)
  })

  test(`the new form of ${path}, sent twice, creates one record and gets the same page`, async (t) => {
    const app = await testApp(t)
    const form = asForm({ ...fields, _idempotency_key: await openForm(app, path) })
    const first = await app.inject({ method: 'POST', url: `${path}/`, ...form })
    const second = await app.inject({ method: 'POST', url: `${path}/`, ...form })
    assert.equal(second.statusCode, 201)
    assert.equal(second.body, first.body)
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal(await countRecords(app, path), 1)
  })

  test(`the new form of ${path}, sent twice at once, gets the same page twice`, async (t) => {
    const app = await testApp(t)
    const form = asForm({ ...fields, _idempotency_key: await openForm(app, path) })
    const send = async () => app.inject({ method: 'POST', url: `${path}/`, ...form })
    const [first, second] = await Promise.all([send(), send()])
    assert.deepEqual([first.statusCode, second.statusCode], [201, 201])
    assert.equal(second.body, first.body)
    assert.equal(await countRecords(app, path), 1)
  })

  test(`a form of ${path} sent again with other values is shown again, with a new key`, async (t) => {
    const app = await testApp(t)
    const key = await openForm(app, path)
    const sent = asForm({ ...fields, _idempotency_key: key })
    await app.inject({ method: 'POST', url: `${path}/`, ...sent })
    const typed = { ...fields, name: 'Typed anew' }
    const { statusCode, body, headers } = await app.inject({
      method: 'POST',
      url: path,
      ...asForm({ ...typed, _idempotency_key: key }),
    })
    assert.equal(statusCode, 422)
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(body, /already sent with other values\. Send it again to create another/)
    assert.equal(inputNamed(body, 'name')?.value, 'Typed anew')
    assert.equal(inputNamed(body, 'password')?.value ?? '', '')
    assert.ok(!body.includes('correct horse'))
    assert.ok(tagsOf(body, 'div').some(({ role }) => role === 'alert'))
    assert.deepEqual(await findInvalid(body, path), [])

    const fresh = inputNamed(body, '_idempotency_key')?.value ?? ''
    assert.notEqual(fresh, key)
    const again = asForm({ ...typed, _idempotency_key: fresh })
    assert.equal((await app.inject({ method: 'POST', url: path, ...again })).statusCode, 201)
    assert.equal(await countRecords(app, path), 2)
  })

  test(`an API client that repeats a key at ${path} with other values gets the error in JSON`, async (t) => {
    const app = await testApp(t)
    const headers = { ...json, 'idempotency-key': '"one"' }
    await app.inject({ method: 'POST', url: path, headers, payload: fields })
    const payload = { ...fields, name: 'Another' }
    const response = await app.inject({ method: 'POST', url: path, headers, payload })
    assert.equal(response.statusCode, 422)
    assert.match(response.json<{ type: string }>().type, /\/problems\/idempotency-key-reused$/)
  })

  test(`an invalid form of ${path} can be corrected and sent with the same key`, async (t) => {
    const app = await testApp(t)
    const bad = asForm({ ...fields, name: '', _idempotency_key: await openForm(app, path) })
    const { body } = await app.inject({ method: 'POST', url: path, ...bad })
    const key = inputNamed(body, '_idempotency_key')?.value ?? ''
    const good = asForm({ ...fields, _idempotency_key: key })
    assert.equal((await app.inject({ method: 'POST', url: path, ...good })).statusCode, 201)
    assert.equal(await countRecords(app, path), 1)
  })
}
