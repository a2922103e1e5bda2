import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp, useApp } from '../../test/support/test-app.ts'
import { folders } from './assets.ts'

const sharedApp = useApp({}, catalogueApp)

for (const name of Object.keys(folders)) {
  const isCode = /\.(css|js)$/.test(name)

  test(`${name} is ${isCode ? 'revalidated at each use' : 'cached for a day'}`, async () => {
    const app = sharedApp()
    const { headers } = await app.inject(`/assets/${name}`)
    const expected = isCode ? 'private, no-cache' : 'public, max-age=86400'
    assert.equal(headers['cache-control'], expected)
    assert.equal(headers['x-request-id'] === undefined, !isCode)
  })
}

// From a file, the rule can apply after the page was shown. Chromium then reports an uncaught error.
test('no stylesheet requests view transitions', async () => {
  const app = sharedApp()
  for (const name of Object.keys(folders).filter((name) => name.endsWith('.css')))
    assert.doesNotMatch((await app.inject(`/assets/${name}`)).body, /@view-transition/, name)
})

test('fonts, which are compressed, are not compressed again', async () => {
  const app = sharedApp()
  const fonts = Object.keys(folders).filter((name) => name.endsWith('.woff2'))
  assert.equal(fonts.length, 2)
  for (const name of fonts) {
    const sent = { 'accept-encoding': 'zstd, br, gzip' }
    const { headers } = await app.inject({ url: `/assets/${name}`, headers: sent })
    assert.equal(headers['content-type'], 'font/woff2')
    assert.equal(headers['content-encoding'], undefined)
  }
})
