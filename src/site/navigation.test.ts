import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../test/test-app.ts'

const rows = [
  ['/users', 'Users'],
  ['/users/new', 'Users'],
  ['/demos/users?a=1', 'Users'],
  ['/login', 'Sessions'],
  ['/demos/sessions', 'Sessions'],
  ['/status/404', 'Status'],
  ['/uploads', 'Uploads'],
  ['/learn/methods', 'Lessons'],
  ['/docs/getDocs', 'Documentation'],
  ['/problems/not-found', 'Problems'],
  ['/nowhere', undefined],
  ['/', undefined],
] as const

for (const [url, label] of rows) {
  test(`${url} marks ${label ?? 'nothing'} in the navigation`, async (t) => {
    const app = await testApp(t)
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    const [nav = ''] = /<nav class="site-nav" id="site-nav"[^]*?<\/nav>/.exec(body) ?? []
    const marked = [...nav.matchAll(/aria-current="page">([^<]*)/g)].map(([, text]) => text)
    assert.deepEqual(marked, label === undefined ? [] : [label])
  })
}

test('a response page marks its demo, not the resource with this prefix', async (t) => {
  const app = await testApp(t)
  const headers = { accept: 'text/html' }
  const { body } = await app.inject({ method: 'POST', url: '/users/post', headers, payload: {} })
  assert.match(body, /href="\/demos\/bodies" aria-current="page"/)
})
