import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectFolder } from '../support/start-vitrine.ts'
import { catalogueApp, testApp } from '../support/test-app.ts'
import { demos } from '../../src/demos/catalogue.ts'
import { findInvalid } from '../support/valid-html.ts'

test('every page is valid HTML, and every local link and form has a route', async (t) => {
  const app = await catalogueApp(t)
  const hostile = `<script>alert('&amp;')</script> "quoted"`
  const fields = { name: hostile, latitude: 1, longitude: 2, note: `${hostile}\n\n${hostile}` }
  await app.inject({ method: 'PUT', url: '/places/one', payload: fields })
  await app.inject({ method: 'PUT', url: '/people/one', payload: { name: hostile, password: 'x' } })

  const found = new Set(['/', '/nowhere', '/people?page=1&per_page=1'])
  const wrong: string[] = []
  const unusual: Record<string, number> = { '/nowhere': 404, '/session': 302 }
  for (const url of found) {
    const response = await app.inject({ url, headers: { accept: 'text/html' } })
    const [requested = 200] =
      /(?<=^\/status\/|^\/responses\/.*\?(?:status|steps)=)\d+/.exec(url) ?? []
    const expected = unusual[url] ?? Number(requested)
    if (response.statusCode !== expected) wrong.push(`${String(response.statusCode)} ${url}`)
    if (!String(response.headers['content-type']).startsWith('text/html')) continue
    assert.deepEqual(await findInvalid(response.body, url), [])
    for (const [, link = ''] of response.body.matchAll(/(?:href|src)="(\/[^"]*)"/g)) {
      // A fault needs a connection.
      // Recorded exchanges, most of them of this test, are dropped before it ends.
      if (!/fault=|^\/inspector\/[\da-f]{8}-/.test(link)) found.add(link.replaceAll('&amp;', '&'))
    }
    // The pages of public/ have forms for demos that need not exist.
    if (existsSync(join(projectFolder, 'public', url))) continue
    for (const [, method = '', action = ''] of response.body.matchAll(
      /<form method="(\w+)" action="([^"]+)"/g,
    )) {
      // They respond to OPTIONS with the requested status code, and without Allow.
      if (/^\/(status|go-httpbin|responses)\//.test(action)) continue
      const { headers } = await app.inject({ method: 'OPTIONS', url: action })
      const offered = String(headers.allow)
      assert.match(offered, method === 'get' ? /GET/ : /POST|PATCH|DELETE/, `${url}: ${action}`)
    }
  }
  assert.ok(found.size > 25)
  assert.deepEqual(wrong, [])
})

/** The paths that only take other methods: samples have their forms. */
const isForForm = (statusCode: number) => statusCode === 405

for (const { name } of demos.filter(({ name }) => name !== 'static')) {
  test(`with DEMOS=${name}, pages link only to what is open`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: name } })
    const found = new Set(['/', '/login', '/uploads'])
    for (const url of found) {
      const { body, headers } = await app.inject({ url, headers: { accept: 'text/html' } })
      if (!String(headers['content-type']).startsWith('text/html')) continue
      for (const [, href = ''] of body.matchAll(/<a [^>]*href="(\/[^"#]*)/g)) {
        const link = href.replaceAll('&amp;', '&')
        if (found.has(link) || /^\/(status\/|responses\/|\w+\/unknown)/.test(link)) continue
        found.add(link)
        const { statusCode } = await app.inject({ url: link, headers: { accept: 'text/html' } })
        assert.ok(statusCode < 400 || isForForm(statusCode), `${url} links to ${link}`)
      }
    }
  })
}
