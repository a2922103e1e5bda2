import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/test-app.ts'

for (const [path, nearest] of [
  ['/lcations', '/locations'],
  ['/usres/1', '/users'],
  ['/learnn', '/learn'],
  ['/status', '/status/:code'],
  ['/responses/cache', '/responses/cache/:key'],
  ['/responses/cach', '/responses/cache/:key'],
  ['/users/1/friends', undefined],
  [`/${'locations'.repeat(500)}`, undefined],
] as const) {
  const title = nearest === undefined ? 'names no other' : `asks whether ${nearest} was meant`
  test(`the error for ${path.slice(0, 30)} ${title}`, async (t) => {
    const { body } = await (await testApp(t)).inject(encodeURI(path))
    const [, shown] = /Did you mean (\S+)\?/.exec(body) ?? []
    assert.equal(shown, nearest)
  })
}
