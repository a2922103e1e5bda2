import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'

const catalogue = useApp({}, catalogueApp)

for (const [path, nearest] of [
  ['/lcations', '/locations'],
  ['/usres/1', '/users'],
  ['/learnn', '/learn'],
  ['/mirror/status', '/mirror/status/:code'],
  ['/responses/cache', '/responses/cache/:key'],
  ['/user', '/users'],
  ['/other', undefined],
  ['/usr', undefined],
  ['/place', '/places'],
  ['/spaces', undefined],
  ['/papers', undefined],
  ['/users/1/friends', undefined],
  [`/${'locations'.repeat(500)}`, undefined],
] as const) {
  const title = nearest === undefined ? 'names no other' : `asks whether ${nearest} was meant`
  test(`the error for ${path.slice(0, 30)} ${title}`, async () => {
    const { body } = await catalogue().inject(encodeURI(path))
    const [, shown] = /Did you mean (\S+)\?/.exec(body) ?? []
    assert.equal(shown, nearest)
  })
}

for (const path of [
  '/places/a%20b',
  '/places/new',
  '/places/%C3%BC',
  `/places/${'a'.repeat(65)}`,
]) {
  test(`PUT ${path.slice(0, 20)} says that the id is not allowed`, async () => {
    const app = catalogue()
    const put = await app.inject({ method: 'PUT', url: path, payload: { name: 'Rome' } })
    assert.ok([404, 405].includes(put.statusCode))
    if (put.statusCode === 404) assert.match(put.body, /this id is not allowed/)
    const get = await app.inject(`${path}-${'x'.repeat(65)}`)
    assert.doesNotMatch(get.body, /not allowed/)
  })
}
