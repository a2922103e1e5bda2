import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toTemplate } from '../src/http/openapi/document.ts'
import { documentedMethods } from '../src/http/openapi/operation.ts'
import { resourceDemo } from '../src/resources/routes.ts'
import { demos } from '../src/demos/catalogue.ts'
import { locations } from '../src/demos/locations/locations.ts'
import { loadDocument } from './openapi/load-document.ts'
import { testApp } from './test-app.ts'

/** Every operation that the router has, as `get /users/{id}`. */
function listRouted(app: FastifyInstance): readonly string[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', segment = '', methods = ''] =
        /^([^\w/:.*]*)(\S+) \((.*)\)$/.exec(line) ?? []
      above.splice(indent.length / 4 - 1, above.length, segment)
      const path = above.join('')
      // A wildcard stands for files, or for whatever else there is: no address can be named.
      if (segment === '' || path.endsWith('*')) return []
      return methods
        .split(', ')
        .filter((method) => documentedMethods.some((known) => known === method))
        .map((method) => `${method.toLowerCase()} ${toTemplate(path)}`)
    })
}

for (const settings of [{}, ...demos.map(({ name }) => ({ DEMOS: name }))]) {
  test(`the document has every route and no other with ${JSON.stringify(settings)}`, async (t) => {
    const app = await testApp(t, { settings })
    const { paths } = await loadDocument(app)
    const documented = Object.entries(paths).flatMap(([path, ofPath]) =>
      Object.keys(ofPath).map((method) => `${method} ${path}`),
    )
    assert.ok(documented.length > 10)
    assert.deepEqual(documented.toSorted(), listRouted(app).toSorted())
  })
}

test('the document passes the recommended rules of Redocly', async (t) => {
  const app = await testApp(t)
  const { body } = await app.inject('/openapi.json')
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // Words such as new stand where an id may; the router prefers them.
      'no-ambiguous-paths': 'off',
    },
  })
  const problems = await lintFromString({ source: body, config })
  const messages = problems.map(({ message, location: [place] }) => {
    return `${message} at ${place?.pointer ?? ''}`
  })
  assert.deepEqual(messages, [])
})

test('no member of the document begins with x-', async (t) => {
  const app = await testApp(t)
  const { body } = await app.inject('/openapi.json')
  JSON.parse(body, (name, value: unknown) => {
    if (/^x-/.test(name)) assert.fail(name)
    return value
  })
})

test('a resource of our own is documented from its definition', async (t) => {
  const app = await testApp(t, {
    demos: [resourceDemo({ ...locations, name: 'places', path: '/places', singular: 'place' })],
  })
  const { paths } = await loadDocument(app)
  assert.ok(paths['/places/{id}']?.patch)
})
