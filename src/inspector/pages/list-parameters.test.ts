import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp({ settings: { INSPECTOR: 'all' } }, catalogueApp)
const ownApp = useApp({}, catalogueApp)

const long = `path=${'x'.repeat(251)}`
const chain = 'status=4&request_id=374f469f-e3e0-4eda-9a6b-b5639dfcfbd4'
for (const query of [
  'errors=true',
  'mine=yes',
  'assets=0',
  chain,
  'status=4',
  'status=600',
  long,
]) {
  test(`${query.slice(0, 20)} gets 400 that names the parameter`, async () => {
    const app = sharedApp()
    for (const path of ['/inspector', '/inspector/events', '/inspector.har']) {
      const { statusCode, body } = await app.inject(`${path}?${query}`)
      assert.equal(statusCode, 400, path)
      assert.match(body, new RegExp(`parameter ${query.split('=')[0] ?? ''} `))
    }
  })
}

for (const query of ['?method=GET&method=POST', '?status[a]=404', '?path[]=a', '?mine=1&mine=1']) {
  test(`a filter that is not one text gets 400: ${query}`, async () => {
    const app = ownApp()
    for (const path of ['/inspector', '/inspector.har', '/inspector/events']) {
      assert.equal((await app.inject(path + query)).statusCode, 400, path)
    }
  })
}

for (const query of [
  'ms:gt=x',
  'none:eq=1',
  'target:like=a',
  'sort=none',
  'page=0',
  'page=999',
  'before=a',
  'before=0',
  'before=2026-11-27T12:00:00Z',
  'before=2026-99-99T99:99:99Z_a',
]) {
  test(`a list with ${query} gets 400`, async () => {
    const app = sharedApp()
    const { statusCode } = await app.inject(`/inspector?${query}`)
    assert.equal(statusCode, 400)
  })
}
