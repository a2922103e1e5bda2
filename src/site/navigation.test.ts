import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp, useApp } from '../../test/support/test-app.ts'

const sharedApp = useApp({}, catalogueApp)

const rows = [
  ['/people', 'People'],
  ['/people/new', 'People'],
  ['/demos/people?a=1', 'People'],
  ['/login', 'Sessions'],
  ['/demos/sessions', 'Sessions'],
  ['/learn/methods', 'Lessons'],
  ['/docs/getDocs', 'Documentation'],
  ['/problems/not-found', 'Problems'],
  ['/nowhere', undefined],
  ['/', undefined],
] as const

for (const [url, label] of rows) {
  test(`${url} marks ${label ?? 'nothing'} in the navigation`, async () => {
    const app = sharedApp()
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    const [nav = ''] = /<nav class="site-nav" id="site-nav"[^]*?<\/nav>/.exec(body) ?? []
    const marked = [...nav.matchAll(/aria-current="page">([^<]*)/g)].map(([, text]) => text)
    assert.deepEqual(marked, label === undefined ? [] : [label])
  })
}
