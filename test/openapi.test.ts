import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { resolve } from '../src/http/openapi/component.ts'
import { toTemplate } from '../src/http/openapi/document.ts'
import { documentedMethods } from '../src/http/openapi/operation.ts'
import { serviceTag } from '../src/http/openapi/route.ts'
import type { Demo } from '../src/site/demo.ts'
import { toResourceDemo } from '../src/resources/routes.ts'
import { demos } from '../src/demos/catalogue.ts'
import { loadDocument } from './support/openapi/load-document.ts'
import { mirror } from './support/mirror.ts'
import { listRoutes } from './support/routes.ts'
import { catalogueApp, testApp, useApp } from './support/test-app.ts'
import { things } from './support/things.ts'

/** Every operation of Fastify's router, as `get /people/{id}`, except the files of pages. */
async function listRouted(app: FastifyInstance): Promise<readonly string[]> {
  const routes = await listRoutes(app)
  // That of httpbin at the root is documented.
  const isOwn = app.declaredRoutes.every(
    ({ url, config }) => url !== '/robots.txt' || !config?.isRaw,
  )
  return routes.flatMap(({ path, methods }) =>
    documentedMethods
      // The paths of a wildcard are not known.
      .filter((method) => methods.includes(method) && !path.endsWith('*'))
      .filter(() => !/^\/(assets\/|favicon)/.test(path) && !(path === '/robots.txt' && isOwn))
      .map((method) => `${method.toLowerCase()} ${toTemplate(path)}`),
  )
}

const withAll = useApp({}, catalogueApp)

/** An empty text has the documented type already. */
function acceptsEmpty(schema: object): boolean {
  const { items } = schema as { items?: object }
  return items ? acceptsEmpty(items) : isDeepStrictEqual(schema, { type: 'string' })
}

for (const tag of [serviceTag, ...demos.map(({ name }) => name)]) {
  const settings: Record<string, string> = tag === serviceTag ? {} : { DEMOS: tag }
  suite(`with ${JSON.stringify(settings)}`, () => {
    const shared = useApp({ settings }, catalogueApp)

    test('the document has exactly the routes of the router', async () => {
      const app = shared()
      const { paths } = await loadDocument(app)
      const documented = Object.entries(paths).flatMap(([path, ofPath]) =>
        Object.keys(ofPath).map((method) => `${method} ${path}`),
      )
      assert.ok(documented.length > 10)
      assert.deepEqual(documented.toSorted(), (await listRouted(app)).toSorted())
    })

    test('Allow of every path has the documented methods', async () => {
      const app = shared()
      const { paths } = await loadDocument(app)
      for (const [path, operations] of Object.entries(paths)) {
        const parameters = Object.values(operations).flatMap((one) => one.parameters ?? [])
        const examples = parameters
          .map((one) => resolve(one))
          .map((one) => [one.name, one.example] as const)
        const values = new Map(examples)
        const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values.get(name)))
        const { headers } = await app.inject({ method: 'OPTIONS', url })
        // OPTIONS of some paths has the response to any method. Two paths are ids of others as well.
        if (headers.allow === undefined || ['/user/create', '/users/post'].includes(path)) continue
        const listed = headers.allow.split(', ')
        const allowed = documentedMethods.filter((method) => listed.includes(method))
        const documented = Object.keys(operations).map((method) => method.toUpperCase())
        assert.deepEqual(allowed.toSorted(), documented.toSorted(), `${path} ${headers.allow}`)
      }
    })

    test(`${tag}: an empty parameter is accepted exactly where the document says so`, async (t) => {
      const app = shared()
      const { paths } = await loadDocument(app)
      for (const [path, { get }] of Object.entries(paths)) {
        if (!get?.tags.includes(tag) || path.includes('{') || path.endsWith('/events')) continue
        const parameters = get.parameters?.map((one) => resolve(one)) ?? []
        for (const { name, in: place, schema, allowEmptyValue = false } of parameters) {
          if (place !== 'query' || acceptsEmpty(schema)) continue
          const url = `${path}?${encodeURIComponent(name)}=`
          await t.test(url, async () => {
            assert.equal((await app.inject(url)).statusCode < 400, allowEmptyValue)
          })
        }
      }
    })
  })
}

test('the document passes the recommended rules of Redocly', async () => {
  const { body } = await withAll().inject('/openapi.json')
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // `/people/new` and `/people/{id}` overlap; the router prefers the first.
      'no-ambiguous-paths': 'off',
      // Some operations only redirect.
      'operation-2xx-response': 'off',
    },
  })
  const problems = await lintFromString({ source: body, config })
  const messages = problems.map(({ message, location: [place] }) => {
    return `${message} at ${place?.pointer ?? ''}`
  })
  assert.deepEqual(messages, [])
})

test('no member of the document begins with x-', async () => {
  const { body } = await withAll().inject('/openapi.json')
  JSON.parse(body, (name, value: unknown) => {
    if (/^x-/.test(name)) assert.fail(name)
    return value
  })
})

test('a resource is documented from its definition', async (t) => {
  const app = await catalogueApp(t, {
    demos: [toResourceDemo(things)],
  })
  const { paths } = await loadDocument(app)
  assert.ok(paths['/things/{id}']?.patch)
})

test('every demo with its own error shape has its own schema of errors', async (t) => {
  const toDemo = (name: string): Demo => ({
    ...mirror,
    name,
    routes: () => [
      { method: 'GET', url: `/${name}`, summary: name, example: name, handler: () => name },
    ],
    errorShape: () => ({ name, under: `/${name}`, schema: { title: name }, toJson: () => name }),
  })
  const names = ['one', 'two']
  const { paths } = await loadDocument(await testApp(t, { demos: names.map(toDemo) }))
  for (const name of names) {
    await t.test(name, () => {
      const { 400: error } = paths[`/${name}`]?.get?.responses ?? {}
      const content = { 'application/json': { schema: { title: name } } }
      assert.deepEqual(error && 'content' in error && error.content, content)
    })
  }
})

test('a demo can create its routes from data, with a prefix', async (t) => {
  const codes = [200, 404]
  const data: Demo = {
    ...mirror,
    name: 'data',
    routes: () =>
      codes.map((code) => ({
        method: 'GET',
        url: `/prefix/${String(code)}`,
        summary: `Respond with ${String(code)}`,
        example: { code },
        config: { defaultType: 'json' },
        handler: (_, reply) => reply.code(code).send({ code }),
      })),
  }
  const app = await testApp(t, { demos: [data] })
  const { paths } = await loadDocument(app)
  for (const code of codes) {
    await t.test(String(code), async () => {
      assert.equal((await app.inject(`/prefix/${String(code)}`)).statusCode, code)
      const properties = { code: { type: 'number' } }
      const schema = { type: 'object', required: ['code'], properties }
      assert.deepEqual(paths[`/prefix/${String(code)}`]?.get?.responses[200], {
        description: 'Success.',
        content: {
          'application/json': { schema, example: { code } },
        },
      })
    })
  }
})

test('JSON is the first type of each response, so that generators of clients use its schema', async () => {
  const { paths } = await loadDocument(withAll())
  for (const [path, operations] of Object.entries(paths)) {
    for (const { responses } of Object.values(operations)) {
      for (const response of Object.values(responses)) {
        const types = Object.keys(resolve(response).content ?? {})
        const index = types.findIndex((type) => /[/+]json$/.test(type))
        assert.ok(index < 1, `${path}: ${types.join()}`)
      }
    }
  }
})

test('a bin is not created from null', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'bins' } })
  const headers = { 'content-type': 'application/json' }
  const created = await app.inject({ method: 'POST', url: '/bins', headers, payload: 'null' })
  assert.equal(created.statusCode, 400)
})

test('the document has the pattern of request_id, a random UUID', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'mirror' } })
  const { paths } = await loadDocument(app)
  const parameters = paths['/inspector']?.get?.parameters?.map((one) => resolve(one)) ?? []
  const { schema } = parameters.find(({ name }) => name === 'request_id') ?? {}
  for (const [id, status] of [
    ['374f469f-e3e0-4eda-9a6b-b5639dfcfbd4', 200],
    ['374F469F-E3E0-4EDA-9A6B-B5639DFCFBD4', 200],
    ['17d85338-8ecf-5193-b254-6a5f4ddfc716', 400],
  ] as const) {
    assert.equal((await app.inject(`/inspector?request_id=${id}`)).statusCode, status)
    assert.equal(new RegExp((schema as { pattern: string }).pattern).test(id), status === 200)
  }
})

test('the times of the inspector have milliseconds', async () => {
  const app = withAll()
  await app.inject('/nowhere')
  const { body } = await app.inject({ url: '/inspector', headers: { accept: 'text/html' } })
  assert.match(body, /<time datetime="[^"]+\.\d{3}Z"/)
  assert.doesNotMatch(body, /<time datetime="[^"]+\.\d{4}/)
})

for (const settings of [{}, { DEMOS: 'static' }]) {
  suite(`paths with ${JSON.stringify(settings)}`, () => {
    const shared = useApp({ settings }, catalogueApp)

    for (const method of ['QUERY', 'TRACE', 'PUT'] as const) {
      test(`${method} of paths without it gets 405, also without a type`, async () => {
        for (const url of [
          '/inspector',
          '/inspector/key',
          '/inspector/a.har',
          '/health',
          '/docs',
        ]) {
          const { statusCode, headers } = await shared().inject({ method: method as 'PUT', url })
          assert.equal(statusCode, 405, url)
          assert.match(String(headers.allow), /OPTIONS$/, url)
        }
      })
    }
  })
}
