import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { dataApp } from '../support/data-app.ts'
import { asUpload } from '../support/multipart-form.ts'
import { backends } from '../support/sandbox-backends.ts'
import { catalogueApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'

const keys = ['sandbox-of-ann-0001', 'sandbox-of-bob-0002', 'sandbox-of-eve-0003'] as const
const [ann, bob, eve] = keys
const posts = [{ id: 1 }, { id: 2 }]

const post = (app: TestApp, key: string, client = '203.0.113.1') =>
  send(app, key, {
    method: 'POST',
    url: '/posts',
    payload: { title: 'New' },
    headers: { 'x-forwarded-for': client },
  })

function send(app: TestApp, key: string, { headers, ...request }: InjectOptions) {
  return app.inject({ ...request, headers: { ...headers, 'x-sandbox': key } })
}

function assertFull(response: { statusCode: number; body: string }, limit: string) {
  assert.equal(response.statusCode, 507, response.body)
  assert.ok(response.body.includes(`${limit} of this service. Nothing was stored.`), response.body)
}

for (const [backend, skip, toSettings] of backends)
  suite(`quotas of sandboxes on ${backend}`, { skip }, () => {
    const open = async (t: Parameters<typeof dataApp>[0], settings: Record<string, string>) =>
      dataApp(t, { posts }, { settings: { ...(await toSettings()), ...settings } })

    test('MAX_SANDBOXES: one more is not stored until another one has expired', async (t) => {
      const app = await open(t, { MAX_SANDBOXES: '2', SANDBOX_SECONDS: '5' })
      for (const key of [ann, bob]) assert.equal((await post(app, key)).statusCode, 201)
      assertFull(await post(app, eve), 'There are 2 sandboxes, the limit MAX_SANDBOXES')
      assert.equal((await send(app, eve, { url: '/posts' })).json<unknown[]>().length, 2)
      // It does not wait for the next sweep.
      await until(async () => (await post(app, eve)).statusCode === 201)
    })

    test('MAX_SANDBOXES_PER_CLIENT: other clients still begin some', async (t) => {
      const settings = { MAX_SANDBOXES_PER_CLIENT: '1', TRUSTED_PROXIES: '127.0.0.1' }
      const app = await open(t, { ...settings, ALLOWED_HOSTS: '*' })
      assert.equal((await post(app, ann)).statusCode, 201)
      const full = 'This client has begun 1 sandbox, the limit MAX_SANDBOXES_PER_CLIENT'
      assertFull(await post(app, bob), full)
      assert.equal((await post(app, bob, '2001:db8::1')).statusCode, 201)
      assertFull(await post(app, eve, '2001:db8::2'), full)
      // Who began it does not limit who uses it.
      assert.equal((await post(app, bob)).statusCode, 201)
    })

    test('MAX_RECORDS_OF_SANDBOXES holds for all together', async (t) => {
      const app = await open(t, { MAX_RECORDS_OF_SANDBOXES: '20' })
      const full = 'All sandboxes have 20 records, the limit MAX_RECORDS_OF_SANDBOXES'
      let created = await post(app, ann)
      assert.equal(created.statusCode, 201, created.body)
      for (let count = 0; count < 20 && created.statusCode === 201; count += 1)
        created = await post(app, ann)
      assertFull(created, full)
      assertFull(await post(app, bob), full)
      const shared = await app.inject({ method: 'POST', url: '/posts', payload: {} })
      assert.equal(shared.statusCode, 201)
      assert.equal((await send(app, ann, { method: 'DELETE', url: '/posts/1' })).statusCode, 204)
      // The records are counted again from time to time.
      await until(async () => (await post(app, ann)).statusCode === 201)
    })

    test('more sandboxes than MAX_RECORDS can be reset', async (t) => {
      const app = await open(t, { MAX_RECORDS: '3' })
      for (let number = 1; number < 6; number += 1) {
        const key = `sandbox-number-${String(number).padStart(4, '0')}`
        assert.equal((await post(app, key)).statusCode, 201)
        const reset = await send(app, key, { method: 'POST', url: '/_vitrine/sandbox/reset' })
        assert.ok(reset.statusCode < 400, reset.body)
      }
    })

    test('MAX_FILES_BYTES holds for the uploads of all together', async (t) => {
      const settings = { ...(await toSettings()), MAX_FILES_BYTES: '1000' }
      const app = await catalogueApp(t, { settings })
      const upload = (key: string | undefined, bytes: number) => {
        const { headers, payload } = asUpload(Buffer.alloc(bytes))
        const own = { ...headers, ...(key && { 'x-sandbox': key }), accept: 'application/json' }
        return app.inject({ method: 'POST', url: '/profile', headers: own, payload })
      }
      const ofAnn = await upload(ann, 600)
      assert.equal(ofAnn.statusCode, 200, ofAnn.body)
      assert.equal((await upload(bob, 401)).statusCode, 507)
      assert.equal((await upload(undefined, 401)).statusCode, 507)
      assert.equal((await upload(bob, 300)).statusCode, 200)
      assert.equal((await upload(undefined, 101)).statusCode, 507)
      assert.equal((await upload(undefined, 100)).statusCode, 200)
      assert.equal((await upload(ann, 1)).statusCode, 507)
      const url = String(ofAnn.headers.location)
      assert.equal((await send(app, ann, { method: 'DELETE', url })).statusCode, 204)
      assert.equal((await upload(bob, 600)).statusCode, 200)
      assert.equal((await upload(eve, 1)).statusCode, 507)
    })

    const openOfClients = async (t: Parameters<typeof dataApp>[0]) => {
      const parts = { MAX_SANDBOXES: '4', MAX_SANDBOXES_PER_CLIENT: '2' }
      const limits = { MAX_FILES_BYTES: '1000', MAX_BINS: '4' }
      const proxies = { TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: '*' }
      const settings = { ...(await toSettings()), ...parts, ...limits, ...proxies }
      return catalogueApp(t, { settings })
    }
    const reset = { method: 'POST', url: '/_vitrine/sandbox/reset' } as const

    test('one client cannot use up MAX_FILES_BYTES, with many sandboxes and resets either', async (t) => {
      const app = await openOfClients(t)
      const upload = (key: string, bytes: number, client: string) => {
        const { headers, payload } = asUpload(Buffer.alloc(bytes))
        const own = { ...headers, 'x-forwarded-for': client, accept: 'application/json' }
        return send(app, key, { method: 'POST', url: '/profile', headers: own, payload })
      }
      const full =
        'The uploads of this client reach 500 bytes, its part of the limit MAX_FILES_BYTES'
      assert.equal((await upload(ann, 300, '203.0.113.1')).statusCode, 200)
      assertFull(await upload(bob, 201, '203.0.113.1'), full)
      // Who began a sandbox counts, whoever uploads to it.
      assertFull(await upload(ann, 201, '203.0.113.9'), full)
      assert.equal((await send(app, ann, reset)).statusCode, 204)
      assertFull(await upload(ann, 201, '203.0.113.1'), full)
      const ofOther = await upload(eve, 500, '203.0.113.2')
      assert.equal(ofOther.statusCode, 200, ofOther.body)
    })

    test('one client cannot use up MAX_BINS', async (t) => {
      const app = await openOfClients(t)
      const create = (key: string, client: string) =>
        send(app, key, { method: 'POST', url: '/bins', headers: { 'x-forwarded-for': client } })
      for (const key of [ann, bob]) assert.equal((await create(key, '203.0.113.1')).statusCode, 201)
      assert.equal((await send(app, bob, reset)).statusCode, 204)
      for (const key of [ann, bob]) {
        const { statusCode, body } = await create(key, '203.0.113.1')
        assert.equal(statusCode, 507, body)
        assert.match(body, /This client has 2 request bins, its part of the maximum \(MAX_BINS\)/)
      }
      assert.equal((await create(eve, '203.0.113.2')).statusCode, 201)
    })

    test('of uploads to many sandboxes at once, as many are stored as fit', async (t) => {
      const settings = { ...(await toSettings()), MAX_FILES_BYTES: '2500' }
      const app = await catalogueApp(t, { settings })
      const { headers, payload } = asUpload(Buffer.alloc(1000))
      const sent = Array.from({ length: 9 }, (_, number) =>
        send(app, `sandbox-number-${String(number)}`, {
          method: 'POST',
          url: '/profile',
          headers,
          payload,
        }),
      )
      const statuses = (await Promise.all(sent)).map(({ statusCode }) => statusCode)
      assert.equal(statuses.filter((status) => status === 200).length, 2, String(statuses))
      assert.equal(statuses.filter((status) => status === 507).length, 7, String(statuses))
    })
  })
