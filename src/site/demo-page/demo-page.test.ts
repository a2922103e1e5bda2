import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirror } from '../../../test/support/mirror.ts'
import { assertDocumented } from '../../../test/support/openapi/documented.ts'
import { catalogueApp, testApp, useApp } from '../../../test/support/test-app.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'
import { loadConfig } from '../../config/config.ts'
import { demos } from '../../demos/catalogue.ts'
import { findDemos } from '../demo.ts'
import { toTarget } from '../sample-request.ts'

const sharedApp = useApp({}, catalogueApp)

const config = loadConfig(
  {},
  demos.map(({ name }) => name),
)

for (const { name, title, samples = [] } of await findDemos(demos, config)) {
  test(`the page of ${name} is valid and has a form for each sample request`, async () => {
    const app = sharedApp()
    const { statusCode, body } = await app.inject(`/demos/${name}`)
    assert.equal(statusCode, 200)
    assert.deepEqual(await findInvalid(body, name), [])
    assert.ok(body.includes(`>${title}</h1>`))
    assert.ok(samples.length > 0)
    assert.equal(body.match(/<section class="try"/g)?.length, samples.length)
  })

  test(`every sample request of ${name} has a route`, async () => {
    const app = sharedApp()
    for (const sample of samples) {
      const { statusCode } = await app.inject({ method: sample.method, url: toTarget(sample) })
      assert.notEqual(statusCode, 405, sample.title)
    }
  })
}

test('the routes of a demo link to their operations in the documentation', async () => {
  const app = sharedApp()
  const page = await app.inject('/demos/mirror')
  const urls = [...page.body.matchAll(/href="(\/docs\/\w+)"/g)].map(([, url = '']) => url)
  assert.ok(urls.length > 2)
  for (const url of urls) assert.equal((await app.inject(url)).statusCode, 200, url)
})

test('the page of an unknown demo, or of one that is not open, is not found', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'mirror' } })
  for (const name of ['users', 'unknown', '__proto__']) {
    const response = await app.inject(`/demos/${name}`)
    assert.equal(response.statusCode, 404)
    assert.ok(response.body.includes(name))
  }
  await assertDocumented(app, { url: '/demos/unknown' }, 404)
  await assertDocumented(app, { url: '/demos/mirror' }, 200)
})

test('code and links in what to look for are markup', async (t) => {
  const lookFor = '`ETag` is a validator of [a page](/page).'
  const app = await testApp(t, { demos: [{ ...mirror, lookFor }] })
  const { body } = await app.inject('/demos/mirror')
  assert.ok(body.includes('<code>ETag</code> is a validator of <a href="/page">a page</a>.'))
})

test('the files of the demo static can only be read', async () => {
  const app = sharedApp()
  const { body } = await app.inject({ url: '/demos/static' })
  const [, table = ''] = /<tbody>([^]*?)<\/tbody>/.exec(body) ?? []
  assert.deepEqual(table.match(/(?<=>)[A-Z]+(?=<)/g), ['GET'])
})
