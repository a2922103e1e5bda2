import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { enter } from '../support/sign-in.ts'
import { catalogueApp } from '../support/test-app.ts'
import { inBrowser, openBrowser } from './chromium.ts'

/** Without a slash, so that it fits in a path. */
const payload = "<img src=x onerror=console.log('ran')>"
const given = encodeURIComponent(payload)
const base64 = Buffer.from(payload).toString('base64url')

const urls = [
  `/get?a=${given}&${given}=1`,
  `/anything/${given}?a=${given}`,
  `/${given}`,
  `/base64/${base64}`,
  `/base64/decode/${base64}?content-type=text/html`,
  `/response-headers?Content-Type=text/html&Content-Security-Policy=x&a=${given}`,
  `/response-headers?content-type=image/svg%2Bxml&a=${given}`,
  `/redirect-to?url=javascript:console.log('ran')`,
  `/cookies/set?a=${given}`,
  `/dump/request?a=${given}`,
  `/stream/1?a=${given}`,
  `/links/${given}`,
  `/image/${given}`,
]

/** With a session. */
async function openPage(t: TestContext) {
  const app = await catalogueApp(t)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const { cookie } = await enter(app)
  const [name = '', value = ''] = cookie.split('=')
  const context = await (await openBrowser()).newContext()
  t.after(() => context.close())
  await context.addCookies([{ name, value, url: origin }])
  return { origin, page: await context.newPage() }
}

for (const dialect of ['httpbin', 'go-httpbin']) {
  test(`/${dialect}: no script of a visitor runs`, inBrowser, async (t) => {
    const { origin, page } = await openPage(t)
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    await Promise.all([page.waitForEvent('console'), page.setContent(payload)])
    assert.deepEqual(messages, ['ran'])
    for (const url of urls) {
      await t.test(url, async () => {
        messages.length = 0
        // Text of an unknown type is a download.
        await page.goto(`${origin}/${dialect}${url}`).catch(() => undefined)
        assert.ok(!messages.includes('ran'))
      })
    }
  })

  test(`/${dialect}: a WebSocket of another site gets only its messages`, inBrowser, async (t) => {
    const { origin, page } = await openPage(t)
    const exchange = (path: string) =>
      page.evaluate<string[]>(`new Promise((resolve) => {
        const socket = new WebSocket('${origin.replace('http', 'ws')}${path}')
        const messages = []
        socket.onopen = () => socket.send('one')
        socket.onmessage = ({ data }) => {
          messages.push(data)
          if (messages.length === 1) socket.send('two')
          else socket.close()
        }
        socket.onclose = () => resolve(messages)
      })`)
    assert.deepEqual(await exchange(`/${dialect}/websocket/echo`), ['one', 'two'])
    for (const path of [`/${dialect}/get`, '/session', '/users/events']) {
      assert.deepEqual(await exchange(path), [])
    }
  })
}
