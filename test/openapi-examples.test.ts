import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demos } from '../src/demos/catalogue.ts'
import { serviceTag } from '../src/http/openapi/route.ts'
import { findUndocumented } from './support/openapi/documented.ts'
import { toExampleRequests } from './support/openapi/examples.ts'
import { loadDocument } from './support/openapi/load-document.ts'
import { asUpload } from './support/multipart-form.ts'
import { testApp, type TestApp } from './support/test-app.ts'
import { upload } from './support/uploads.ts'

type Ids = Readonly<Record<string, string>>

/** Ids that exist, by the example of the document. */
const findIds: Readonly<Record<string, (app: TestApp) => Promise<Ids>>> = {
  [serviceTag]: async (app) => {
    await app.inject('/')
    const headers = { accept: 'application/json' }
    const { body } = await app.inject({ url: '/inspector', headers })
    const { exchanges } = JSON.parse(body) as { exchanges: { id: string }[] }
    return { '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e': exchanges[0]?.id ?? '' }
  },
  uploads: async (app) => ({ 'DDy_FQo-ous469DRMy3G3g': (await upload(app, 'glass'))._id }),
  bins: async (app) => {
    const created = await app.inject({ method: 'POST', url: '/bins' })
    const { id, secret } = created.json<Record<'id' | 'secret', string>>()
    await app.inject({ method: 'POST', url: `/b/${id}`, ...asUpload('glass') })
    const headers = { authorization: `Bearer ${secret}` }
    const { body } = await app.inject({ url: `/bins/${id}/requests`, headers })
    const requests = JSON.parse(body) as { id: string }[]
    return {
      tqk3l5cDDyFQoous469DRMy3G3g: id,
      '019b2f6c-1e5d-7a4f-8c34-1a6e0d2b7f55': requests[0]?.id ?? '',
      '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e': requests[0]?.id ?? '',
      secret,
    }
  },
}

/** The visitor describes the response, so that it need not have the type of Accept. */
const described = ['httpbin', 'go-httpbin', 'responses']

/** Examples without a successful response, and why. */
const failing: readonly (readonly [rows: RegExp, statuses: RegExp])[] = [
  // The example asks for this status.
  [/ \/(status|responses\/custom|responses\/sequence)\b/, /^(404|418|503)$/],
  // No user has the password of the example.
  [/ \/(login|session) /, /^401$/],
  // The credentials are headers, which OpenAPI does not describe as parameters.
  [/(basic|digest)-auth|\/bearer/, /^40[14]$/],
  // It fails at random.
  [/\/unstable/, /^500$/],
  // It has no image of the type in Accept.
  [/\/image /, /^(406|415)$/],
  // The handshake of a WebSocket has headers that a client sets itself.
  [/\/websocket\/echo/, /^400$/],
  // `inject` has no connection.
  [/\/responses\/fault\//, /^501$/],
  // The key of a sandbox is a header.
  [/ \/_vitrine\/sandbox/, /^404$/],
  // A rate is the limit of requests.
  [/\/responses\/rate\//, /^429$/],
]

for (const name of [serviceTag, ...demos.map((demo) => demo.name)]) {
  // Many of the responses that a visitor describes take seconds.
  const concurrency = described.includes(name) ? 32 : 1
  const title = `${name}: the response to each example has a documented type and content`
  test(title, { concurrency }, async (t) => {
    const DEMOS = name === serviceTag ? 'status' : name
    // A response with status 500 may be the example.
    const app = await testApp(t, { settings: { DEMOS }, expectsFaults: true })
    const document = await loadDocument(app)
    const { secret, ...ids } = (await findIds[name]?.(app)) ?? {}
    const own = toExampleRequests(document).filter(({ tags }) => tags.includes(name))
    assert.ok(own.length > 0 || name === 'static')
    const tests = own.map(({ name: row, request, path, type }) =>
      t.test(row, async () => {
        const toReal = (text: string, [example, id]: [string, string]) =>
          text.replaceAll(example, id)
        const url = Object.entries(ids).reduce(toReal, request.url)
        const authorization = url.startsWith('/bins') && secret && `Bearer ${secret}`
        const headers = { ...request.headers, ...(authorization && { authorization }) }
        const response = await app.inject({ ...request, url, headers })
        const { statusCode } = response
        const sent = { method: request.method, url: path }
        assert.deepEqual(findUndocumented(document, sent, response), [])
        const [, statuses] = failing.find(([rows]) => rows.test(row)) ?? []
        if (statuses?.test(String(statusCode))) return
        assert.ok(statusCode < 400, `${String(statusCode)} ${response.body}`)
        if (type === undefined || type === '*/*' || statusCode >= 300) return
        const [given] = String(response.headers['content-type']).split(';')
        if (!described.includes(name)) assert.equal(given, type)
      }),
    )
    await Promise.all(tests)
  })
}
