import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asForm,
  createRecord,
  formType,
  openSamples,
  sampleId,
  samples,
  type Shown,
} from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

interface Problem {
  type: string
  title: string
  status: number
  detail: string
  errors?: { detail: string; pointer: string }[]
}

const both = 'application/json, application/x-www-form-urlencoded'
const patches = `${both}, application/merge-patch+json, application/json-patch+json`
const writes = [
  ['POST', ''],
  ['PATCH', '/:id'],
  ['PUT', '/:id'],
] as const

const emptyApp = useApp()
const filled = useApp({}, openSamples)

for (const { path, fields } of samples) {
  for (const [method, route] of writes) {
    const otherTypes: [what: string, types: string[]][] = [
      [
        'an unsupported type',
        ['application/xml', 'text/plain', 'text/json', 'multipart/form-data'],
      ],
      ['an invalid type', ['x', '/', 'json;']],
    ]
    for (const [what, types] of otherTypes) {
      test(`${method} ${path}${route} is 415 for ${what}, and names the supported media types`, async (t) => {
        const app = filled()
        const url = path + route.replace(':id', sampleId)
        for (const type of types) {
          await t.test(type, async () => {
            const headers = { 'content-type': type, accept: 'application/json' }
            const payload = JSON.stringify(fields)
            const response = await app.inject({ method, url, headers, payload })
            assert.equal(response.statusCode, 415)
            assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
            if (method === 'POST') assert.equal(response.headers['accept-post'], both)
            if (method === 'PATCH') assert.equal(response.headers['accept-patch'], patches)
          })
        }
      })
    }

    test(`${method} ${path}${route} is 415 for JSON that is sent as a form`, async () => {
      const app = filled()
      const headers = { 'content-type': formType, accept: 'application/json' }
      const url = path + route.replace(':id', sampleId)
      const payload = JSON.stringify(fields)
      const response = await app.inject({ method, url, headers, payload })
      assert.equal(response.statusCode, 415)
      assert.match(response.json<{ detail: string }>().detail, /looks like JSON.*application\/json/)
    })

    const unreadable: [what: string, type: string, payload: string | Buffer][] = [
      ['broken JSON', 'application/json', '{"name":'],
      ['U+0000 in JSON', 'application/json', '{"name":"a\\u0000b"}'],
      ['U+0000 in a form', formType, 'name=a%00b'],
      ['a lone high surrogate', 'application/json', '{"name":"a\\ud800b"}'],
      ['a lone low surrogate', 'application/json', '{"name":"\\udc00"}'],
      ['surrogates the wrong way round', 'application/json', '{"name":"\\ude00\\ud83d"}'],
      [
        'bytes that are not UTF-8 in JSON',
        'application/json',
        Buffer.from('{"name":"\xe9"}', 'latin1'),
      ],
      ['bytes that are not UTF-8 in a form', formType, 'name=%E9'],
      ['an encoded surrogate in a form', formType, 'name=%ED%A0%80'],
    ]
    for (const [what, type, payload] of unreadable) {
      test(`${method} ${path}${route} is 400 for ${what}`, async () => {
        const app = filled()
        const url = path + route.replace(':id', sampleId)
        const headers = { 'content-type': type, accept: 'application/json' }
        const response = await app.inject({ method, url, headers, payload })
        assert.equal(response.statusCode, 400)
        assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
      })
    }

    for (const content of ['null', '[]', '[{"name":"a"}]', '"name"', '42', 'true']) {
      test(`${method} ${path}${route} is 422 for a body that is not an object: ${content}`, async () => {
        const app = filled()
        const headers = { 'content-type': 'application/json', accept: 'application/json' }
        const url = path + route.replace(':id', sampleId)
        const response = await app.inject({ method, url, headers, payload: content })
        assert.equal(response.statusCode, 422)
        assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
      })
    }

    test(`${method} ${path}${route} with handling=strict is 422 naming each unknown field`, async (t) => {
      const app = await testApp(t)
      const created = await createRecord(app, path, fields)
      const url = path + route.replace(':id', created._id)
      const headers = { accept: 'application/json', prefer: 'wait=1, handling=strict' }
      const payload = { ...fields, name: 'New', colour: 'red', _action: 'new', 'a/b~c d': 1 }
      const response = await app.inject({ method, url, headers, payload })
      assert.equal(response.statusCode, 422)
      const pointers = ['#/_action', '#/a~1b~0c%20d', '#/colour']
      assert.deepEqual(pointersOf(response.json<Problem>()), pointers)
      const list = await app.inject({ url: path, headers: { accept: 'application/json' } })
      assert.deepEqual(list.json<Shown[]>(), [created])
      const lenient = { ...headers, prefer: 'handling=lenient' }
      assert.ok((await app.inject({ method, url, headers: lenient, payload })).statusCode < 300)
    })

    test(`${method} ${path}${route} is 422 as problem+json, with a pointer to each invalid field`, async (t) => {
      const app = filled()
      const url = path + route.replace(':id', sampleId)
      const payload = Object.fromEntries(
        Object.keys(fields).map((name) => [name, { not: 'right' }]),
      )
      for (const accept of [
        'application/json',
        'application/problem+json;q=0.9, application/json;q=0.8',
      ]) {
        await t.test(accept, async () => {
          const response = await app.inject({ method, url, headers: { accept }, payload })
          assert.equal(response.statusCode, 422)
          assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
          const problem = response.json<Problem>()
          assert.match(problem.type, /\/problems\/invalid-fields$/)
          assert.equal(problem.title, 'Invalid Fields')
          assert.equal(problem.status, 422)
          const expected = Object.keys(fields).map((name) => `#/${name}`)
          assert.deepEqual(pointersOf(problem), expected.toSorted())
          for (const name of Object.keys(fields)) assert.ok(problem.detail.includes(name))
        })
      }
    })
  }

  test(`POST ${path} without a body is 422 naming the required fields, in text without Accept`, async () => {
    const app = emptyApp()
    const required = path === '/people' ? ['name', 'password'] : ['name']
    const json = { headers: { accept: 'application/json' } }
    const response = await app.inject({ method: 'POST', url: path, ...json })
    assert.equal(response.statusCode, 422)
    assert.deepEqual(
      pointersOf(response.json<Problem>()),
      required.map((name) => `#/${name}`),
    )
    const text = await app.inject({ method: 'POST', url: path, payload: {} })
    assert.equal(text.statusCode, 422)
    assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8')
    for (const name of required) assert.ok(text.body.includes(name))
  })

  test(`an error of ${path} never has the form of the envelope`, async () => {
    const app = filled()
    const url = `${path}/${sampleId}`
    const responses = [
      await app.inject({ method: 'PATCH', url, payload: { name: 1 } }),
      await app.inject({ method: 'PATCH', url: `${path}/none`, payload: fields }),
      await app.inject({ method: 'DELETE', url: `${path}/none` }),
    ]
    for (const response of responses) {
      assert.ok(response.statusCode >= 400)
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
      assert.ok(!('data' in response.json<object>()))
    }
  })

  test(`a repeated or nested field in a form of ${path} is 422, and the form is shown again`, async (t) => {
    const app = emptyApp()
    for (const payload of ['name=a&name=b', 'name[a]=b', 'name[]=a']) {
      await t.test(payload, async () => {
        const { headers } = asForm({})
        const response = await app.inject({ method: 'POST', url: path, headers, payload })
        assert.equal(response.statusCode, 422)
        assert.match(response.body, /<form method="post"/)
      })
    }
  })
}

function pointersOf({ errors = [] }: Problem): string[] {
  return [...new Set(errors.map(({ pointer }) => pointer))].toSorted()
}
