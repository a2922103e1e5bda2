import assert from 'node:assert/strict'
import type { InjectOptions } from 'fastify'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { dataApp, dataFile } from '../../test/support/data-app.ts'
import { testApp } from '../../test/support/test-app.ts'

const posts = [{ id: 1, title: 'Hello' }]

const challenge = { type: 'url_verification', challenge: 'a"{{ x }}' }
const post = (payload: unknown): InjectOptions => ({
  method: 'POST',
  url: '/x/7',
  payload: payload as object,
})

/** What a stub at `/x/:id` sends for a request. */
const rows: readonly [described: object, request: InjectOptions | string, body: unknown][] = [
  [
    { json: { id: '{{ path.id }}', c: '{{ json.challenge }}' } },
    post(challenge),
    { id: '7', c: 'a"{{ x }}' },
  ],
  [
    { json: ['{{ json.n }}', '{{ json.list }}', 'n{{ json.n }}'] },
    post({ n: 5, list: [1] }),
    [5, [1], 'n5'],
  ],
  [{ json: { missing: '{{ json.none }}' } }, post({}), { missing: null }],
  [{ json: { b: '{{ query.b | size }}' } }, '/x/7?b=abc', { b: 3 }],
  [{ body: '{{ query.hub.challenge }}' }, '/x/7?hub.mode=s&hub.challenge=c', 'c'],
  [{ body: '{{ query.q }}' }, '/x/7?q=%7B%7B+path.id+%7D%7D', '{{ path.id }}'],
  [{ body: '{{ method }} {{ path }} {{ path[0] }}' }, '/x/7', 'GET /x/7 '],
  [
    { body: '{{ header.X-Foo }}{{ cookie.a }}' },
    { url: '/x/7', headers: { 'x-foo': '1', cookie: 'a=2' } },
    '12',
  ],
  [{ body: '{{ json.zz | json }} {{ query | json }}' }, '/x/7?a=1', 'null {"a":"1"}'],
  [{ body: '{% if query.a == "1" %}yes{% else %}no{% endif %}' }, '/x/7?a=1', 'yes'],
  [
    { body: '{{ data.posts.first.title }} {{ data.posts.size }} {{ data.none }}' },
    '/x/7',
    'Hello 1 ',
  ],
  [{ type: 'text/html', body: '<p>{{ query.q }}' }, '/x/7?q=%3Cb%3E', '<p>&lt;b&gt;'],
  [
    { headers: { 'Content-Type': 'image/svg+xml' }, body: '{{ query.q }}' },
    '/x/7?q=%3Cb%3E',
    '&lt;b&gt;',
  ],
  [
    {
      body: '[{{ constructor }}{{ query.constructor.name }}{{ "a".constructor }}{{ json.__proto__ }}]',
    },
    '/x/7',
    '[]',
  ],
  [
    { body: '{{ header.cookie }}{{ header.x-inspector }}' },
    { url: '/x/7', headers: { 'x-inspector': 'k'.repeat(20) } },
    '',
  ],
]
for (const [described, request, body] of rows) {
  test(`${JSON.stringify(described)} gives ${JSON.stringify(body)}`, async (t) => {
    const app = await dataApp(t, { posts, $responses: { '* /x/:id': described } })
    const response = await app.inject(request)
    assert.equal(response.statusCode, 200, response.body)
    assert.deepEqual(typeof body === 'string' ? response.body : response.json(), body)
  })
}

const loop = '{% for i in (1..1000) %}'
const hostile: Readonly<Record<string, string>> = {
  'a long range': '{% for i in (1..100000000) %}a{% endfor %}',
  'nested loops': `${loop}${loop}${loop}{% endfor %}{% endfor %}{% endfor %}`,
  'a text that doubles': `{% assign x = 'aaaa' %}${loop}{% assign x = x | append: x %}{% endfor %}{{ x }}`,
  'a wide date': "{{ now | date: '%100000000Y' }}",
  'a long result': `${loop}${loop}aaaaaaaaaa{% endfor %}{% endfor %}`,
}
for (const [what, body] of Object.entries(hostile)) {
  test(`${what} in a template gets 500 that names the stub`, async (t) => {
    const app = await dataApp(t, { posts, $responses: { 'GET /x': { body } } })
    const response = await app.inject('/x')
    assert.equal(response.statusCode, 500)
    assert.match(response.body, /The stub GET \/x could not be rendered: /)
  })
}

for (const [what, described, place] of [
  [
    'an unknown filter',
    { body: '{{ a | none }}' },
    /"GET \/x"\/body is not a valid template: undefined filter: none/,
  ],
  [
    'an include',
    { json: { a: ['{% include "a" %}'] } },
    /"GET \/x"\/json\/a\/0 is not a valid template: tag "include" not found/,
  ],
  [
    'a layout',
    { headers: { A: '{% layout "a" %}' } },
    /"GET \/x"\/headers\/A is not a valid template/,
  ],
  [
    'an open tag',
    { sequence: [{ body: '{% if a %}' }] },
    /"GET \/x"\/sequence\/0\/body is not a valid template/,
  ],
  ['file in a list of steps', { sequence: [{ file: 3 }] }, /sequence\/0\/file must be text/],
  ['a wrong delay', { delay: 'long' }, /"GET \/x"\/delay must be a number of seconds, a range/],
  ['a long delay', { delay: '1-99' }, /"GET \/x"\/delay is too long/],
  ['a wrong interim status', { interim: [{ status: 101 }] }, /"GET \/x"\/interim\/0\/status/],
  ['a line in reason', { reason: 'a\nb' }, /"GET \/x"\/reason/],
  ['at without a fault', { at: 3, body: 'abcdef' }, /"GET \/x"\/at needs fault/],
  ['size beside body', { size: 3, body: 'a' }, /"GET \/x"\/size cannot be used with body/],
] as const) {
  test(`${what} is an error of the start`, async (t) => {
    await assert.rejects(dataApp(t, { posts, $responses: { 'GET /x': described } }), place)
  })
}

test('the values of headers have no control characters, and Location obeys its setting', async (t) => {
  const headers = { 'X-A': '{{ query.a }}', Location: '{{ query.to }}' }
  const settings = { ALLOWED_REDIRECT_DOMAINS: 'none' }
  const app = await dataApp(
    t,
    { posts, $responses: { 'GET /x': { status: 302, headers } } },
    { settings },
  )
  const url = '/x?a=1%0d%0aX-B:2&to='
  const outside = await app.inject(`${url}//evil.example/`)
  assert.deepEqual([outside.headers['x-a'], outside.headers['x-b']], ['1  X-B:2', undefined])
  assert.equal(outside.headers.location, undefined)
  assert.equal((await app.inject(`${url}/inside`)).headers.location, '/inside')
})

test('seeded values are the same at each start, and random ones are not', async (t) => {
  const json = ['{{ seeded.uuid }}', '{{ seeded.integer }}', '{{ random.uuid }}']
  const run = async () => {
    const app = await dataApp(t, { posts, $responses: { 'GET /x': { json } } })
    const get = async () => (await app.inject('/x')).json<unknown[]>()
    return [await get(), await get()]
  }
  const [first = [], second = []] = await run()
  assert.notEqual(first[0], second[0])
  const [again = []] = await run()
  assert.deepEqual(again.slice(0, 2), first.slice(0, 2))
  assert.notEqual(again[2], first[2])
})

test('number counts the requests of the stub, and is 403 with READ_ONLY', async (t) => {
  const contents = { posts, $responses: { 'GET /x': { body: '{{ number }}' } } }
  const app = await dataApp(t, contents)
  assert.equal((await app.inject('/x')).body, '1')
  assert.equal((await app.inject('/x')).body, '2')
  const fixed = await dataApp(t, contents, { settings: { READ_ONLY: 'on' } })
  assert.equal((await fixed.inject('/x')).statusCode, 403)
})

test('a file is opened below the folder of the stubs, and nowhere else', async (t) => {
  const $responses = {
    'GET /:name': { file: 'files/{{ path.name }}' },
    ...Object.fromEntries(
      ['a.pdf', '../outside', '.hidden', 'link'].map((name) => [
        `GET /f/${name.replace('../', '')}`,
        { file: `files/${name}` },
      ]),
    ),
  }
  const DATA_FILE = await dataFile(t, { posts, $responses })
  const folder = join(dirname(DATA_FILE), 'files')
  await mkdir(folder)
  await writeFile(join(folder, 'a.pdf'), '%PDF')
  await writeFile(join(folder, '.hidden'), 'secret')
  await symlink('/etc/passwd', join(folder, 'link'))
  const app = await testApp(t, { settings: { DEMOS: 'mirror', DATA_FILE } })
  const found = await app.inject('/f/a.pdf')
  assert.deepEqual([found.body, found.headers['content-type']], ['%PDF', 'application/pdf'])
  for (const url of ['/f/outside', '/f/.hidden', '/f/link', '/a.pdf'])
    assert.equal((await app.inject(url)).statusCode, 500, url)
})

test('size has the same bytes for one seed', async (t) => {
  const $responses = { 'GET /a': { size: 5_000_000 }, 'GET /c': { size: 5_000_000, seed: 1 } }
  const app = await dataApp(t, { posts, $responses })
  const [one, two, other] = [await app.inject('/a'), await app.inject('/a'), await app.inject('/c')]
  assert.equal(one.rawPayload.length, 5_000_000)
  assert.ok(one.rawPayload.equals(two.rawPayload))
  assert.ok(!one.rawPayload.equals(other.rawPayload))
})

test('ERROR_RATE fails a part of the requests to resources before anything is stored', async (t) => {
  const app = await dataApp(t, { posts }, { settings: { ERROR_RATE: '0.3', DELAY_MS: '0-1' } })
  let failed = 0
  for (let count = 0; count < 50; count += 1) {
    const response = await app.inject({ method: 'POST', url: '/posts', payload: { title: 'a' } })
    if (response.statusCode !== 503) continue
    failed += 1
    assert.equal(response.headers['retry-after'], '1')
  }
  assert.ok(failed > 5 && failed < 30, String(failed))
})
