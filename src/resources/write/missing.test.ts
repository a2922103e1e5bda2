import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSamples, sampleId, samples } from '../../../test/support/resources.ts'
import { useApp } from '../../../test/support/test-app.ts'

interface Problem {
  type: string
  title: string
  status: number
  detail: string
}

const both = 'application/json, application/x-www-form-urlencoded'
const patches = `${both}, application/merge-patch+json, application/json-patch+json`

const emptyApp = useApp()
const filled = useApp({}, openSamples)

for (const { path, singular, fields } of samples) {
  for (const id of ['0', 'no-such-id', '019b0000-0000-7000-8000-000000000000', 'x'.repeat(300)]) {
    test(`an unknown id such as ${path}/${id.slice(0, 40)} is 404 for each method, and is named`, async () => {
      const app = emptyApp()
      const requests = [
        ['GET', ''],
        ['GET', '/'],
        ['GET', '/edit'],
        ['PATCH', ''],
        ['PATCH', '/'],
        ['DELETE', ''],
      ] as const
      for (const [method, rest] of requests) {
        const url = `${path}/${id}${rest}`
        const payload = method === 'PATCH' ? { payload: fields } : {}
        const page = await app.inject({ method, url, headers: { accept: 'text/html' }, ...payload })
        assert.equal(page.statusCode, 404)
        assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
        // An id over 64 characters cannot be one, and so names no record.
        const named =
          id.length > 64 ? `${path}/${id}` : `There is no ${singular} with the id ${id}.`
        assert.ok(page.body.includes(named), `${method} ${rest}`)
        if (rest === '/edit') continue
        const headers = { accept: 'application/json' }
        const problem = await app.inject({ method, url, headers, ...payload })
        assert.equal(problem.statusCode, 404)
        assert.match(String(problem.headers['content-type']), /^application\/problem\+json/)
        const { type, title, status, detail } = problem.json<Problem>()
        assert.match(type, /\/problems\/not-found$/)
        assert.deepEqual([title, status], ['Not Found', 404])
        assert.ok(detail.includes(id))
      }
      const head = await app.inject({ method: 'HEAD', url: `${path}/${id}` })
      assert.equal(head.statusCode, 404)
      assert.equal(head.body, '')
    })
  }

  for (const id of [
    '%C3%A9%F0%9F%98%80',
    'a%20b',
    '%3Cb%3E',
    'a%2Fb',
    "'%20OR%201=1",
    '%00',
    '..x',
  ]) {
    test(`an impossible id, such as ${path}/${id}, is not found`, async (t) => {
      const app = emptyApp()
      for (const method of ['GET', 'PATCH', 'DELETE', 'PUT'] as const) {
        await t.test(method, async () => {
          const payload = method === 'PATCH' || method === 'PUT' ? { payload: fields } : {}
          const headers = { accept: 'application/json' }
          const url = `${path}/${id}`
          const response = await app.inject({ method, url, headers, ...payload })
          assert.equal(response.statusCode, 404)
          assert.ok(response.json<Problem>().detail.includes(id))
          const pageHeaders = { accept: 'text/html' }
          const page = await app.inject({ method, url, headers: pageHeaders, ...payload })
          assert.ok(!page.body.includes('<b>'))
        })
      }
    })
  }

  const offers = [
    ['', 'GET, HEAD, QUERY, POST, OPTIONS', ['PUT', 'PATCH', 'DELETE'], { 'accept-post': both }],
    ['/:id', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', ['POST'], { 'accept-patch': patches }],
    ['/:id/edit', 'GET, HEAD, OPTIONS', ['POST', 'PUT', 'PATCH', 'DELETE'], {}],
  ] as const
  for (const [route, allow, missing, accepts] of offers) {
    test(`OPTIONS ${path}${route} is 204 with the methods, and every other method gets 405`, async (t) => {
      const app = filled()
      for (const slash of ['', '/']) {
        await t.test(slash, async () => {
          const url = path + route.replace(':id', sampleId) + slash
          const options = await app.inject({ method: 'OPTIONS', url })
          assert.equal(options.statusCode, 204)
          assert.equal(options.body, '')
          assert.deepEqual(listed(options.headers.allow), listed(allow))
          assert.deepEqual(
            { ...pick(options.headers, 'accept-post'), ...pick(options.headers, 'accept-patch') },
            accepts,
          )
          for (const method of missing) {
            const headers = { accept: 'application/json' }
            const response = await app.inject({ method, url, headers })
            assert.equal(response.statusCode, 405, method)
            assert.deepEqual(listed(response.headers.allow), listed(allow))
            assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
          }
        })
      }
    })
  }
}

function listed(header: unknown): string[] {
  return String(header).split(', ').toSorted()
}

function pick(headers: Record<string, unknown>, name: string): Record<string, unknown> {
  return name in headers ? { [name]: headers[name] } : {}
}
