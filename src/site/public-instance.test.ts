import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { catalogueApp } from '../../test/support/test-app.ts'
import { temporaryFolder } from '../../test/support/start-vitrine.ts'

async function readFooter(t: TestContext, settings: Record<string, string>, url = '/docs') {
  const app = await catalogueApp(t, { settings })
  const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
  return /<footer>(.*)<\/footer>/.exec(body)?.[1]
}

const first = 'Vitrine is a service for learning and testing HTTP.'
const read = 'Others can read what you store here.'
const own = 'Your data is in a sandbox of your own, or of your network address.'
const personal = 'Do not store personal data.'
const footers: [settings: Record<string, string>, footer: string][] = [
  [{}, first],
  [{ PRESET: 'public' }, `${first} ${own} ${personal}`],
  [{ PRESET: 'public', SANDBOXES: 'key' }, `${first} ${read} ${personal}`],
  [{ RESET_AT: '03:00' }, `${first} ${read} It is removed each day at 03:00 UTC. ${personal}`],
  [
    { OPERATOR_CONTACT: 'ann+http@vitrine.example' },
    `${first} ${read} ${personal} Operator: <a href="mailto:ann+http@vitrine.example">ann+http@vitrine.example</a>`,
  ],
  [
    { OPERATOR_CONTACT: 'https://vitrine.example/a?b=1&c=2' },
    `${first} ${read} ${personal} Operator: <a href="https://vitrine.example/a?b=1&amp;c=2">https://vitrine.example/a?b=1&amp;c=2</a>`,
  ],
]
for (const [settings, footer] of footers) {
  test(`the footer of pages with ${JSON.stringify(settings)}`, async (t) => {
    for (const url of ['/docs', '/users', '/nowhere'])
      assert.equal(await readFooter(t, settings, url), footer)
  })
}

for (const contact of [
  'ann',
  'javascript:alert(1)',
  'a b@c',
  'ann@',
  'a@b@c',
  'mailto:ann@c',
  'ftp://a.example',
  'a?cc=b@c',
  '<b>@c',
]) {
  test(`OPERATOR_CONTACT=${contact} is an error`, async (t) => {
    await assert.rejects(
      readFooter(t, { OPERATOR_CONTACT: contact }),
      /^Error: OPERATOR_CONTACT must be a mail address/,
    )
  })
}

const crawled: [path: string, isAllowed: boolean][] = [
  ['/', true],
  ['/docs', true],
  ['/docs/users', true],
  ['/learn/caching', true],
  ['/demos/uploads', true],
  ['/problems/not-found', true],
  ['/assets/base.css', true],
  ['/?demo=1', false],
  ['/users', false],
  ['/users/new', false],
  ['/uploads/a', false],
  ['/bins', false],
  ['/b/a', false],
  ['/inspector', false],
  ['/responses/status/200', false],
  ['/httpbin/links/100', false],
  ['/mirror/query', false],
]

/** RFC 9309 §2.2.2: the longest rule applies. */
function isCrawled(robots: string, path: string): boolean {
  const rules = [...robots.matchAll(/^(Allow|Disallow): (\S+)$/gm)].filter(([, , rule = '']) =>
    rule.endsWith('$') ? path === rule.slice(0, -1) : path.startsWith(rule),
  )
  const [longest] = rules.toSorted(([, , one = ''], [, , other = '']) => other.length - one.length)
  return longest?.[1] !== 'Disallow'
}

test('crawlers may read the documentation only', async (t) => {
  const app = await catalogueApp(t)
  const { statusCode, headers, body } = await app.inject('/robots.txt')
  assert.deepEqual([statusCode, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  for (const [path, isAllowed] of crawled) assert.equal(isCrawled(body, path), isAllowed, path)
})

test('a robots.txt of PUBLIC_DIR replaces it', async (t) => {
  const PUBLIC_DIR = await temporaryFolder(t)
  await writeFile(join(PUBLIC_DIR, 'robots.txt'), 'User-agent: *\nDisallow:\n')
  const served = await catalogueApp(t, { settings: { PUBLIC_DIR } })
  assert.equal((await served.inject('/robots.txt')).body, 'User-agent: *\nDisallow:\n')
  const hidden = await catalogueApp(t, { settings: { PUBLIC_DIR, DEMOS: '-static' } })
  assert.match((await hidden.inject('/robots.txt')).body, /Disallow: \/\n/)
})

for (const url of ['/login', '/users/new']) {
  test(`${url} has a note beside the input of a password`, async (t) => {
    const app = await catalogueApp(t)
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    const [input = ''] =
      /<input[^>]* type="password"[^>]*>|<input type="password"[^>]*>/.exec(body) ?? []
    const [, hint = ''] = /aria-describedby="([^"]*)"/.exec(input) ?? []
    assert.match(
      body,
      new RegExp(`<span class="quiet" id="${hint}">[^<]*do not use a real password\\.</span>`),
    )
  })
}
