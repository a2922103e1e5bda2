import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { testApp } from '../test-app.ts'

for (const prefix of ['/httpbin', '/go-httpbin']) {
  test(`${prefix}: the names of headers have capitals, as in the services`, async (t) => {
    const app = await testApp(t)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const sent = request(`${url}${prefix}/cookies/set?a=1&b=2`, { agent: false }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    const names = response.rawHeaders.filter((_, index) => index % 2 === 0)
    assert.ok(names.includes('Location') && names.includes('Access-Control-Allow-Origin'))
    assert.equal(names.filter((name) => name === 'Set-Cookie').length, 2)
    assert.deepEqual(
      names.filter((name) => /(?<![^-])[a-z]/u.test(name)),
      [],
    )
  })
}
