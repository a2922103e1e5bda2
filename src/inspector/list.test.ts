import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEvents } from '../../test/support/event-stream.ts'
import { catalogueApp, useApp, type TestApp } from '../../test/support/test-app.ts'
import { findInvalid } from '../../test/support/valid-html.ts'
import type { Exchange, Summary } from '../exchanges/exchange.ts'

const json = { accept: 'application/json' }
const page = { accept: 'text/html' }
const secret = 'a-secret-of-16-characters'

interface List {
  exchanges: Summary[]
  next?: string
}

async function list(app: TestApp, query = '', headers = {}): Promise<List> {
  const response = await app.inject({ url: `/inspector${query}`, headers: { ...json, ...headers } })
  assert.equal(response.statusCode, 200, response.body)
  return response.json<List>()
}

/** An app that has received some requests. */
async function visitedApp(...[t, { settings = {} } = {}]: Parameters<typeof catalogueApp>) {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all', ...settings } })
  await app.inject('/mirror?json')
  await app.inject('/nowhere?a=b')
  await app.inject('/assets/frame.js')
  await app.inject({
    method: 'POST',
    url: '/mirror/field',
    payload: 'a=1',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  await app.inject({ method: 'POST', url: '/mirror/query?_method=GET' })
  await app.inject({
    url: '/mirror/query?a=x',
    headers: { 'x-inspector': secret },
    remoteAddress: '10.0.0.9',
  })
  return app
}

/** For tests that change nothing. */
const sharedApp = useApp({}, visitedApp)

const all = [
  '/mirror/query?a=x',
  '/mirror/query?_method=GET',
  '/mirror/field',
  '/nowhere?a=b',
  '/mirror?json',
]

for (const [query, expected] of [
  ['', all],
  ['?assets=1', [...all.slice(0, 3), '/assets/frame.js', ...all.slice(3)]],
  ['?method=post', ['/mirror/query?_method=GET', '/mirror/field']],
  ['?method=POST&path=query', ['/mirror/query?_method=GET']],
  ['?status=404', ['/nowhere?a=b']],
  ['?status:gte=400', ['/nowhere?a=b']],
  ['?status:in=404,500', ['/nowhere?a=b']],
  ['?target:contains=FIELD', ['/mirror/field']],
  ['?target:startsWith=/mirror&method:eq=GET', ['/mirror/query?a=x', '/mirror?json']],
  ['?client=10.0.0.9', ['/mirror/query?a=x']],
  ['?client:ne=10.0.0.9&path=query', ['/mirror/query?_method=GET']],
  ['?receivedAt:lt=2020', []],
  ['?receivedAt:gt=2020', all],
  ['?ms:lt=0', []],
  ['?other=1', all],
  ['?sort=-receivedAt', all],
  ['?sort=receivedAt', all.toReversed()],
  ['?per_page=2', all.slice(0, 2)],
  ['?per_page=2&page=2', all.slice(2, 4)],
  ['?per_page=2&page=9', []],
  ['?sort=target&per_page=1&page=2', ['/mirror/query?_method=GET']],
  ['?status=4xx', ['/nowhere?a=b']],
  ['?errors=1', ['/nowhere?a=b']],
  ['?path=a%3D', ['/mirror/query?a=x', '/nowhere?a=b']],
  ['?path=', all],
  ['?client=10.0.0.9', ['/mirror/query?a=x']],
  ['?mine=1', []],
] as const) {
  test(`the list of ${query || 'all'} has ${String(expected.length)} exchanges`, async (t) => {
    // The pages of the inspector are listed too.
    const app = query === '?assets=1' ? await visitedApp(t) : sharedApp()
    const { exchanges } = await list(app, query)
    assert.deepEqual(
      exchanges.map(({ target }) => target),
      expected,
    )
    const { body } = await app.inject({ url: `/inspector${query}`, headers: page })
    const shown = [...body.matchAll(/<th scope="row"><a [^>]+><code>(.*?)<\/code>/g)]
    assert.deepEqual(
      shown.map(([, target]) => target),
      expected,
    )
    assert.deepEqual(await findInvalid(body, '/inspector'), [])
  })
}

for (const [query, hasNext] of [
  ['?per_page=2', true],
  ['?per_page=2&page=2', true],
  ['?per_page=2&sort=target', false],
] as const) {
  test(`the list of ${query} can ${hasNext ? '' : 'not '}be continued by time`, async () => {
    const app = sharedApp()
    assert.equal((await list(app, query)).next !== undefined, hasNext)
    // Such a page is not live, so that there is nothing to pause.
    const { body } = await app.inject({ url: `/inspector${query}`, headers: page })
    assert.match(body, /data-part="pause"[^>]* hidden>/)
  })
}

test('the list has pages', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  for (let at = 0; at < 205; at += 1) await app.inject(`/mirror/query?a=${String(at)}`)
  const first = await list(app, '?path=mirror')
  assert.deepEqual(
    [first.exchanges.length, first.exchanges[0]?.target],
    [200, '/mirror/query?a=204'],
  )
  const second = await list(app, `?path=mirror&before=${encodeURIComponent(first.next ?? '')}`)
  assert.deepEqual([second.exchanges.length, second.exchanges[0]?.target], [5, '/mirror/query?a=4'])
  assert.equal(second.next, undefined)
  const { body } = await app.inject({ url: '/inspector?path=mirror', headers: page })
  const [, older = ''] = /href="([^"]+before=[^"]+)">Older/.exec(body) ?? []
  const earlier = await app.inject({ url: older.replaceAll('&amp;', '&'), headers: page })
  assert.match(earlier.body, /5 requests.*a=4</s)
})

test('with INSPECTOR=own a visitor sees, exports and clears only their own exchanges', async (t) => {
  const app = await visitedApp(t, { settings: { INSPECTOR: 'own' } })
  const own = { 'x-inspector': secret }
  const targets = async (headers: object) =>
    (await list(app, '', headers)).exchanges.map(({ target }) => target)
  assert.deepEqual(await targets(own), ['/mirror/query?a=x'])
  assert.deepEqual(await targets({}), [])
  assert.deepEqual(await targets({ 'x-inspector': `${secret}2` }), [])
  const [mine] = (await list(app, '', own)).exchanges
  const url = `/inspector/${mine?.id ?? ''}`
  for (const one of [
    url,
    `${url}.har`,
    `${url}.http`,
    `/inspector/diff?a=${mine?.id ?? ''}&b=${mine?.id ?? ''}`,
  ]) {
    assert.equal(
      (await app.inject({ url: one, headers: { ...json, ...own } })).statusCode,
      200,
      one,
    )
    assert.equal((await app.inject({ url: one, headers: json })).statusCode, 404, one)
  }
  const har = await app.inject('/inspector.har')
  assert.doesNotMatch(har.body, /mirror/)
  await app.inject({ method: 'DELETE', url: '/inspector' })
  assert.deepEqual(await targets(own), ['/mirror/query?a=x'])
  await app.inject({ method: 'DELETE', url: '/inspector', headers: own })
  assert.deepEqual(await targets(own), [])
})

test('a form clears the list, and returns to it', async (t) => {
  const app = await visitedApp(t)
  const headers = { ...page, 'content-type': 'application/x-www-form-urlencoded' }
  const sent = { method: 'POST', url: '/inspector', headers, payload: '_method=DELETE' } as const
  const response = await app.inject(sent)
  assert.deepEqual([response.statusCode, response.headers.location], [303, '/inspector'])
  assert.deepEqual((await list(app)).exchanges, [])
})

for (const path of ['', '.har', '/events', '/diff?a=ID&b=ID', '/ID', '/ID.har', '/ID.http']) {
  test(`/inspector${path} is for no cache and no other site`, async (t) => {
    const app = await visitedApp(t)
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const { exchanges } = await list(app)
    const url = `${origin}/inspector${path.replaceAll('ID', exchanges[0]?.id ?? '')}`
    const accept = path === '/events' ? 'text/event-stream' : 'application/json'
    const response = await fetch(url, { headers: { accept, origin: 'https://other.example' } })
    await response.body?.cancel()
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('access-control-allow-origin'), null)
  })
}

test('events have the exchanges that fit the filter, and resume', async (t) => {
  const app = await visitedApp(t)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `${origin}/inspector/events?method=POST&assets=1`
  const { exchanges } = await list(app, '?method=POST')
  const [last, first] = exchanges
  assert.ok(first && last)
  const events = await openEvents(t, url, `${first.receivedAt}_${first.id}`)
  assert.deepEqual((await events.next())?.value, last)
  await app.inject('/mirror')
  await app.inject({ method: 'POST', url: '/mirror/field?later' })
  const later = await events.next()
  assert.equal(later?.name, 'exchange')
  assert.equal((later.value as Summary).target, '/mirror/field?later')
})

test('exchanges that were cleared before their event are not missed', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const events = await openEvents(t, `${origin}/inspector/events?path=mirror`)
  await app.inject('/mirror/query?a=first')
  await events.next()
  for (let at = 0; at < 5; at += 1) await app.inject(`/mirror/query?a=${String(at)}`)
  await app.inject({ method: 'DELETE', url: '/inspector' })
  await app.inject('/mirror/query?a=last')
  for (;;) {
    const event = await events.next()
    assert.equal(event?.name, 'exchange')
    if ((event.value as Summary).target.endsWith('last')) break
  }
})

test('events for the page have rows, and name the redirects before them', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const events = await openEvents(t, `${origin}/inspector/events?rows=html`)
  await fetch(`${origin}/httpbin/redirect-to?url=/mirror/query%3Fa%3D%253Cb%253E`)
  const [, before, after] = (await events.take(3)).map(
    (event) => event?.value as { id: string; html: string; earlier: string[] },
  )
  assert.deepEqual([before?.earlier, after?.earlier], [[], [before?.id]])
  assert.match(after?.html ?? '', /<code>\/mirror\/query\?a=%3Cb%3E<\/code>/)
})

test('an exchange shows the redirects and preflights of its group', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  await fetch(`${origin}/httpbin/redirect/2`)
  const [latest] = (await list(app)).exchanges
  const { body } = await app.inject({ url: `/inspector/${latest?.id ?? ''}`, headers: page })
  const [chain = ''] = /<ol class="diagram"[^]*?<\/ol>/.exec(body) ?? []
  const codes = [...chain.matchAll(/<code>(.*?)<\/code>/g)].map(([, text]) => text)
  assert.deepEqual(codes, [
    '/httpbin/redirect/2',
    'location: /httpbin/relative-redirect/1',
    '/httpbin/relative-redirect/1',
    'location: /httpbin/get',
    '/httpbin/get',
  ])
  assert.match(chain, /aria-current="true">.*\/httpbin\/get/)
  assert.deepEqual(await findInvalid(body, '/inspector'), [])
})

test('two exchanges are compared, the older one first if a form sends both as a', async () => {
  const app = sharedApp()
  const [newer, , , older] = (await list(app)).exchanges
  const [one, other] = [older?.id ?? '', newer?.id ?? '']
  for (const query of [`a=${other}&a=${one}`, `a=${one}&b=${other}`]) {
    const response = await app.inject({ url: `/inspector/diff?${query}`, headers: json })
    const { parts } = response.json<{ parts: { name: string; lines: unknown[] }[] }>()
    assert.deepEqual(parts[0], {
      name: 'Request line',
      lines: [
        { kind: 'removed', text: 'GET /nowhere?a=b HTTP/1.1' },
        { kind: 'added', text: 'GET /mirror/query?a=x HTTP/1.1' },
      ],
    })
    const { body } = await app.inject({ url: `/inspector/diff?${query}`, headers: page })
    assert.match(body, /<del>− GET \/nowhere\?a=b HTTP\/1\.1\n<\/del><ins>\+ GET/)
    assert.deepEqual(await findInvalid(body, '/inspector/diff'), [])
  }
})

test('an exchange is exported as messages', async () => {
  const app = sharedApp()
  const [, , latest] = (await list(app)).exchanges
  const url = `/inspector/${latest?.id ?? ''}`
  const exchange = (await app.inject({ url, headers: json })).json<Exchange>()
  const responses = [
    await app.inject({ url, headers: { accept: 'message/http' } }),
    await app.inject(`${url}.http`),
  ]
  for (const { headers, body } of responses) {
    assert.equal(headers['content-type'], 'message/http')
    assert.match(body, /^POST \/mirror\/field HTTP\/1\.1\r\n(.+\r\n)+\r\na=1HTTP\/1\.1 200 OK\r\n/)
    assert.ok(body.startsWith(exchange.requestHead.trimEnd().replaceAll('\n', '\r\n')))
  }
  assert.match(String(responses[1]?.headers['content-disposition']), /^attachment/)
})

for (const [PRESET, headers, left, button] of [
  ['none', {}, [], 'Clear'],
  // Another address has a sandbox of its own.
  ['public', {}, all.slice(1), undefined],
  ['public', { 'x-inspector': secret }, all.slice(1), 'Clear mine'],
] as const) {
  const sender = 'x-inspector' in headers ? 'with a key' : 'without a key'
  test(`PRESET=${PRESET} INSPECTOR=all: a visitor ${sender} leaves ${String(left.length)} exchanges`, async (t) => {
    const app = await visitedApp(t, { settings: { PRESET } })
    const { body } = await app.inject({ url: '/inspector', headers: { ...page, ...headers } })
    assert.equal(/>(Clear[^<]*)</.exec(body)?.[1], button)
    const cleared = await app.inject({ method: 'DELETE', url: '/inspector', headers })
    assert.equal(cleared.statusCode, 204)
    const { exchanges } = await list(app)
    assert.deepEqual(
      exchanges.map(({ target }) => target),
      left,
    )
  })
}
