import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import type { OpenApiDocument } from '../../http/openapi/document.ts'
import { dataApp } from '../../../test/support/data-app.ts'
import { catalogueApp, testApp, useApp } from '../../../test/support/test-app.ts'
import { toExampleRequest } from './operations.ts'
import { samples } from '../commands/code.ts'

const sharedApp = useApp({}, catalogueApp)

suite('the document', () => {
  test('can be revalidated by a client', async (t) => {
    const app = sharedApp()
    for (const url of ['/openapi.json', '/docs', '/docs/getDocs']) {
      await t.test(url, async () => {
        const { headers } = await app.inject(url)
        assert.equal(headers['cache-control'], 'private, no-cache')
        const again = { url, headers: { 'if-none-match': String(headers.etag) } }
        assert.equal((await app.inject(again)).statusCode, 304)
      })
    }
  })

  test('is OpenAPI 3.1, with a relative server URL', async () => {
    const app = sharedApp()
    const response = await app.inject('/openapi.json')
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    const { openapi, servers } = response.json<OpenApiDocument>()
    assert.match(openapi, /^3\.1\.\d+$/)
    assert.deepEqual(servers, [{ url: '/' }])
  })

  test('names a host with unusual characters as it was sent', async (t) => {
    const app = sharedApp()
    for (const host of ['a+b=1.localhost', 'a,b~c.localhost', 'A_b.localhost']) {
      await t.test(host, async () => {
        const { body } = await app.inject({ url: '/openapi.json', headers: { host } })
        const plain = await app.inject('/openapi.json')
        const growth = (body.split(host).length - 1) * (host.length - 'localhost:80'.length)
        assert.equal(body.length - plain.body.length, growth)
        assert.ok(body.includes(`http://${host}/docs`))
      })
    }
  })

  test('has the origin of each request, when hosts alternate', async () => {
    const app = sharedApp()
    const hosts = ['a', 'b', 'c', 'd', 'e', 'a', 'b'].map((name) => `${name}.localhost`)
    for (const host of hosts) {
      for (const url of ['/docs', '/docs/getDocs', '/openapi.json']) {
        const { body } = await app.inject({ url, headers: { host } })
        const named = new Set(body.match(/http:\/\/\w+\.localhost/g))
        assert.deepEqual([...named], [`http://${host}`], url)
      }
    }
  })

  test('names the host of the request in its commands, with quoted URLs', async (t) => {
    const app = sharedApp()
    for (const url of ['/openapi.json', '/docs', '/docs/getDocs', '/inspector']) {
      await t.test(url, async () => {
        const headers = { host: 'localhost:4801' }
        const { body } = await app.inject({ url, headers })
        assert.match(body, /http:\/\/localhost:4801\/\S*/)
        assert.doesNotMatch(body, /localhost:3000|curl[^<`]* http:[^ '<`]*\?/)
      })
    }
  })

  test('lists the values of members that have few', async (t) => {
    const app = await testApp(t, { settings: { DEMOS: 'sessions' } })
    const { body } = await app.inject('/openapi.json')
    for (const values of [
      '"enum":["ok"]',
      '"enum":["no database","no free connection","starting","draining"]',
      '"enum":["accept","default","suffix"]',
      '"const":0',
    ]) {
      await t.test(values, () => {
        assert.ok(body.includes(values))
      })
    }
  })

  test('has the open demos and no others', async (t) => {
    const app = await testApp(t, { settings: { DEMOS: 'mirror' } })
    const { tags, paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
    const names = tags.map(({ name }) => name)
    assert.deepEqual(names, ['mirror', 'vitrine'])
    assert.ok(paths['/mirror/query'])
    assert.equal(paths['/people'], undefined)
  })

  test('has the errors of the configured limits', async (t) => {
    const settings = { RATE_LIMIT: '100', MAX_EVENT_LOOP_DELAY_MS: '60000' }
    for (const [limits, expected] of [
      [{}, [false, false]],
      [settings, [true, true]],
    ] as const) {
      const app = await catalogueApp(t, { settings: limits })
      const { paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
      const { responses = {} } = paths['/mirror/query']?.get ?? {}
      assert.deepEqual(['429' in responses, '503' in responses], expected)
      assert.equal('429' in (paths['/health']?.get?.responses ?? {}), false)
    }
  })
})

suite('the pages', () => {
  test('begin with what an operation is for', async (t) => {
    const app = sharedApp()
    for (const [url, start] of [
      ['/docs/postUsers', 'Creates a user. '],
      ['/docs/postLocations', 'Creates a location. '],
    ] as const) {
      await t.test(url, async () => {
        const { body } = await app.inject(url)
        assert.match(body, new RegExp(`class="line endpoint">.*\n<p>${start}`))
      })
    }
  })

  test('are small with their scripts and styles', async (t) => {
    const app = sharedApp()
    for (const url of ['/docs', '/docs/patchUsersId']) {
      await t.test(url, async () => {
        const { body } = await app.inject(url)
        const parts = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+(?:css|js))"/g)]
        assert.ok(parts.length > 3)
        let size = brotliCompressSync(body).length
        for (const [, part = ''] of parts) {
          size += brotliCompressSync((await app.inject(part)).body).length
        }
        assert.ok(size < 25_000, String(size))
      })
    }
  })

  test('of unknown operations do not exist', async (t) => {
    const app = sharedApp()
    for (const id of ['nothing', 'GETPEOPLE', '__proto__', '%00', 'getPeople%2F']) {
      await t.test(id, async () => {
        assert.equal((await app.inject(`/docs/${id}`)).statusCode, 404)
      })
    }
  })

  test('name a representation with a suffix on the page of its operation', async () => {
    const app = sharedApp()
    const { body } = await app.inject('/docs/getPeople')
    const links = [...body.matchAll(/<a href="\/docs\/(\w+)"><code>(\.\w+)</g)]
    assert.deepEqual(
      links.map(([, id, suffix]) => [id, suffix]),
      [
        ['getPeopleHtml', '.html'],
        ['getPeopleJson', '.json'],
        ['getPeopleTxt', '.txt'],
        ['getPeopleCsv', '.csv'],
        ['getPeopleNdjson', '.ndjson'],
      ],
    )
  })
})

suite('the samples', () => {
  test('ask for JSON where a page is possible', async () => {
    const app = sharedApp()
    for (const id of ['getPeople', 'getSession']) {
      const { body } = await app.inject(`/docs/${id}`)
      assert.match(body, /Accept: application\/json/)
      assert.match(body, /<option selected>application\/json</)
    }
  })

  const origin = `http://it's.localhost`
  const operation = (requestBody: object) =>
    ({ method: 'POST', path: '/x', parameters: [], responses: {}, requestBody }) as never
  const rows: [title: string, content: object, expected: Readonly<Record<string, RegExp>>][] = [
    [
      'quote the origin and the body',
      { 'application/json': { example: { a: `it's`, b: [true, null, 1.5] } } },
      {
        curl: /^curl 'http:\/\/it'\\''s\.localhost\/x' .*--json '\{"a":"it'\\''s"/s,
        fetch: /fetch\("http:\/\/it's\.localhost\/x", \{.*"Content-Type": "application\/json"/s,
        Python: /json=\{"a": "it's", "b": \[True, None, 1\.5\]\}/,
        Go: /NewReader\("\{\\"a\\":\\"it's\\"/,
        HTTPie: /'a=it'\\''s' .*'b:=\[true,null,1\.5\]'/s,
      },
    ],
    [
      'send a file',
      { 'multipart/form-data': { schema: { properties: { pic: {} } } } },
      {
        curl: /-F 'pic=@file\.txt'/,
        fetch: /append\("pic", new Blob/,
        Python: /files=\{"pic": open/,
        Go: /CreateFormFile\("pic".*FormDataContentType/s,
        HTTPie: /--multipart POST .*'pic@file\.txt'/s,
      },
    ],
    [
      'send text',
      { 'text/plain': { example: 'a b' } },
      {
        curl: /-H 'Content-Type: text\/plain' .*-d 'a b'/s,
        fetch: /body: "a b"/,
        Python: /data="a b"\.encode\(\)/,
        Go: /Set\("Content-Type", "text\/plain"\)/,
        HTTPie: /'Content-Type:text\/plain' .*--raw 'a b'/s,
      },
    ],
  ]
  for (const [title, content, expected] of rows) {
    const request = toExampleRequest(operation({ content }), origin)
    for (const [name, pattern] of Object.entries(expected)) {
      test(`${title}: ${name}`, () => {
        assert.match(samples[name]?.(request) ?? '', pattern)
      })
    }
  }
})

test('the media types of a response without an example are one line', async () => {
  const app = sharedApp()
  const { body } = await app.inject('/docs/getPeople')
  const types = body.slice(body.indexOf('<section class="response-doc">'))
  const names = '<code>text/html</code> <code>text/csv</code>'
  assert.ok(types.includes(`</details>\n<p>Also available: ${names}</p>`))
})

for (const [page, expected] of [
  ['getUsersId', '/users?page=1&per_page=1&sort=-createdAt'],
  ['getInspectorId', '/inspector?page=1&per_page=1'],
  ['getPostsId', '/posts?page=1&per_page=1'],
] as const) {
  test(`the form of ${page} asks for an id with a URL that the list accepts`, async (t) => {
    const settings = { DEMOS: 'users' }
    const app = await dataApp(t, { posts: [{ id: 1, title: 'One' }] }, { settings })
    const { body } = await app.inject(`/docs/${page}`)
    const [, url = ''] = /data-ids="([^"]+)"/.exec(body) ?? []
    assert.equal(url.replaceAll('&amp;', '&'), expected)
    assert.equal((await app.inject(expected)).statusCode, 200)
  })
}
