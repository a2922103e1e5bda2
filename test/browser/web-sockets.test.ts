import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { until } from '../support/until.ts'
import { inBrowser } from './chromium.ts'
import { openSite } from './site.ts'

test('a page talks to a WebSocket of a stub', inBrowser, async (t) => {
  const steps = [{ send: 'hi {{ query.name }}' }, { expect: 'me' }, { close: 4001, reason: 'end' }]
  const $responses = { 'GET /ws': { websocket: steps } }
  const DATA_FILE = await dataFile(t, { posts: [{ id: 1 }], $responses })
  const { visit } = await openSite(t, { DATA_FILE })
  const page = await visit()
  await page.goto('/problems/upgrade-required')
  await page.evaluate(`
    const socket = new WebSocket(location.origin.replace('http', 'ws') + '/ws?name=Ann')
    socket.addEventListener('message', ({ data }) => {
      document.title = String(data)
      socket.send('me')
    })
    socket.addEventListener('close', ({ code, reason }) => {
      document.title += ' ' + code + ' ' + reason
    })
  `)
  await until(async () => (await page.title()) === 'hi Ann 4001 end')
  assert.equal(await page.title(), 'hi Ann 4001 end')
})
