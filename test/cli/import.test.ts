import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import {
  findOrigin,
  spawnVitrine,
  startVitrine,
  temporaryFolder,
  type Ending,
} from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'

interface Sample {
  method?: string
  url?: string
  requestHeaders?: object
  posted?: object
  status?: number
  headers?: object
  content?: object
}

const toNamed = (headers: object) =>
  Object.entries(headers).flatMap(([name, values]) =>
    [values as string | string[]].flat().map((value) => ({ name, value })),
  )

const host = 'https://api.example'

function toEntry({ method = 'GET', url = '/x', status = 200, ...sample }: Sample) {
  const { requestHeaders = {}, headers = {}, content = {}, posted } = sample
  const full = URL.canParse(url) ? url : host + url
  return {
    request: { method, url: full, headers: toNamed(requestHeaders), postData: posted ?? null },
    response: { status, headers: toNamed(headers), content },
  }
}

const toHar = (samples: readonly Sample[]) =>
  JSON.stringify({ log: { version: '1.2', creator: {}, pages: [], entries: samples.map(toEntry) } })

/** Runs the command on this text, and returns what it prints and writes. */
async function runImport(t: Ending, har: string, name = 'stubs.yaml') {
  const folder = await temporaryFolder(t)
  const [source, target] = [join(folder, 'traffic.har'), join(folder, name)]
  await writeFile(source, har)
  const started = spawnVitrine({}, ['import', source, target])
  await until(() => started.process.exitCode !== null)
  const read = () => parse(readFileSync(target, 'utf8')) as Record<string, unknown>
  return { code: started.process.exitCode, output: started.output(), read, folder, source, target }
}

async function serve(t: Ending, file: string, flags: readonly string[] = []) {
  const settings = { PORT: '0', DATABASE_URL: 'sqlite::memory:', FILES_URL: `file:${file}-uploads` }
  const started = spawnVitrine(settings, [file, ...flags])
  t.after(() => started.process.kill('SIGKILL'))
  return findOrigin(started)
}

const json = (text: string) => ({ mimeType: 'application/json', text })

/** What one entry, or several, become. */
const rows: readonly [what: string, samples: readonly Sample[], stubs: object][] = [
  ['JSON', [{ content: json('{ "a": [1] }') }], { 'GET /x': { json: { a: [1] } } }],
  [
    'JSON with numbers that JavaScript does not keep',
    [{ content: json('{"a":12345678901234567890}') }],
    { 'GET /x': { type: 'application/json', body: '{"a":12345678901234567890}' } },
  ],
  [
    'JSON that is deeper than a file of stubs can be',
    [{ content: json(`${'['.repeat(60)}${']'.repeat(60)}`) }],
    { 'GET /x': { type: 'application/json', body: `${'['.repeat(60)}${']'.repeat(60)}` } },
  ],
  [
    'a body in Base64, and a content coding that the archive does not have',
    [
      {
        headers: { 'Content-Type': 'image/gif', 'Content-Encoding': 'br', 'Content-Length': '9' },
        content: { encoding: 'base64', text: '/wD/' },
      },
    ],
    { 'GET /x': { type: 'image/gif', base64: '/wD/' } },
  ],
  [
    'text that would be a template',
    [{ headers: { 'X-A': '{{ a }}' }, content: { mimeType: 'text/css', text: '{{ b }}' } }],
    {
      'GET /x': {
        header_base64: { 'X-A': 'e3sgYSB9fQ==' },
        type: 'text/css',
        base64: 'e3sgYiB9fQ==',
      },
    },
  ],
  [
    'text in another encoding',
    [{ headers: { 'Content-Type': 'text/html; charset=latin1' }, content: { text: 'é' } }],
    { 'GET /x': { type: 'text/html; charset=utf-8', body: 'é' } },
  ],
  ['an empty body', [{ status: 204 }], { 'GET /x': { status: 204 } }],
  [
    'several values of a header, also joined by a line feed',
    [{ headers: { 'X-A': ['1', '2'], 'x-b': '1\n2' } }],
    { 'GET /x': { headers: { 'X-A': ['1', '2'], 'x-b': ['1', '2'] } } },
  ],
  [
    'several responses to one URL, and repeated ones',
    [{ status: 503 }, { status: 503 }, { content: json('1') }, { content: json('1') }],
    {
      'GET /x': {
        sequence: [
          { status: 503, times: 2 },
          { json: 1, times: 2 },
        ],
      },
    },
  ],
  ['the same response again', [{ status: 503 }, { status: 503 }], { 'GET /x': { status: 503 } }],
  [
    'one query string, and a trailing slash',
    [{ url: '/a/?page=2', content: json('2') }],
    { 'GET /a': { json: 2 } },
  ],
  [
    'several query strings',
    [
      { url: '/a', content: json('0') },
      { url: '/a?v=1&page=1', content: json('1') },
      { url: '/a?v=1&page=2&f[name]=b&token=t1', content: json('2') },
      { url: '/a?f[name]=b&v=1&page=2&token=t2', content: json('3') },
      { url: '/a?v=1&page=1&page=3', content: json('4') },
    ],
    {
      'GET /a': [
        {
          when: { 'query.f.name': 'b', 'query.page': '2', 'query.v': '1' },
          sequence: [{ json: 2 }, { json: 3 }],
        },
        { when: { 'query.page.0': '1', 'query.page.1': '3', 'query.v': '1' }, json: 4 },
        { when: { 'query.page': '1', 'query.v': '1' }, json: 1 },
        { json: 0 },
      ],
    },
  ],
  ['characters of a pattern', [{ url: '/a:b/(c)/*' }], { [String.raw`GET /a\:b/\(c\)/\*`]: {} }],
  [
    'several hosts, and redirects between them',
    [
      { status: 302, headers: { Location: 'http://other.example:81/y?a=1' } },
      { url: 'http://other.example:81/y', status: 302, headers: { location: '../z' } },
      { url: `${host}/out`, status: 302, headers: { location: 'https://third.example/' } },
    ],
    {
      'GET /api.example/x': {
        status: 302,
        headers: { Location: String.raw`/other.example:81/y?a=1` },
      },
      [String.raw`GET /other.example\:81/y`]: {
        status: 302,
        headers: { location: '/other.example:81/z' },
      },
      'GET /api.example/out': { status: 302, headers: { location: 'https://third.example/' } },
    },
  ],
  [
    'a redirect of one host',
    [{ status: 302, headers: { Location: `${host}/y` } }],
    { 'GET /x': { status: 302, headers: { Location: '/y' } } },
  ],
  [
    'secrets, also where a response repeats them',
    [
      {
        requestHeaders: { Authorization: 'Bearer abcdefghi' },
        headers: { 'Set-Cookie': ['s=secret; Path=/', 't=other'] },
        content: json('{"sent":"abcdefghi","users":[{"token":"t"}]}'),
      },
    ],
    {
      'GET /x': {
        cookies: ['s=masked; Path=/', 't=masked'],
        json: { sent: 'masked', users: [{ token: 'masked' }] },
      },
    },
  ],
]
for (const [what, samples, stubs] of rows) {
  test(`an import of ${what}`, async (t) => {
    const { code, output, read } = await runImport(t, toHar(samples))
    assert.equal(code, 0, output)
    assert.deepEqual(read(), stubs)
  })
}

test('an import lists what is masked, left out and incomplete', async (t) => {
  const samples: Sample[] = [
    { content: json('{"token":"t"}'), headers: { 'Set-Cookie': 's=1', 'X-Api-Key': 'k' } },
    { url: '/gone', status: 0 },
    { url: '/ws', status: 101 },
    { url: 'wss://api.example/ws', status: 101 },
    { url: 'data:text/plain,a' },
    { url: '/assets/a.js' },
    { url: '/unchanged', status: 304 },
    { url: 'http://api.example/x', status: 301, headers: { Location: `${host}/x` } },
    { method: 'OPTIONS', requestHeaders: { 'Access-Control-Request-Method': 'PUT' } },
    { url: '/part', content: { size: 7 } },
  ]
  const { output, read } = await runImport(t, toHar(samples))
  assert.match(output, /^Masked in GET \/x: cookie\.s, header\.x-api-key, json\.token$/m)
  assert.match(
    output,
    /^Left out, no response: 1 entry, such as GET https:\/\/api\.example\/gone$/m,
  )
  assert.match(output, /^Left out, WebSocket: 2 entries/m)
  assert.match(output, /^Left out, URL of another scheme: 1 entry/m)
  assert.match(
    output,
    /^Left out, is a path of the service: 1 entry, such as GET \/assets\/a\.js$/m,
  )
  assert.match(output, /^Left out, 304, whose body only the client had: 1 entry/m)
  assert.match(output, /^Left out, redirect from http to https: 1 entry/m)
  assert.match(output, /^Left out, CORS preflight, .*: 1 entry/m)
  assert.match(
    output,
    /^Without the whole body, .*: 1 entry, such as GET https:\/\/api\.example\/part$/m,
  )
  assert.match(output, /^Saved 2 stubs of 10 entries to /m)
  assert.deepEqual(Object.keys(read()), ['GET /x', 'GET /part'])
})

test('long bodies are files beside the stubs, and are served', async (t) => {
  const text = 'é'.repeat(20_000)
  const content = { mimeType: 'text/plain; charset=utf-8', text }
  const { target, output, read } = await runImport(t, toHar([{ content }, { url: '/y', content }]))
  const file = { type: 'text/plain; charset=utf-8', file: 'stubs-files/1.txt' }
  assert.deepEqual(read(), { 'GET /x': file, 'GET /y': file })
  assert.match(output, /^Saved long bodies.* to .*stubs-files$/m)
  const response = await fetch(`${await serve(t, target)}/y`)
  assert.equal(await response.text(), text)
})

/** A wrong file, and the error. */
const wrong: readonly [har: string, error: RegExp][] = [
  ['', /it has no log\.entries, which an HTTP Archive has$/m],
  ['posts: 1', /it is not an object in JSON \(line 1\)$/m],
  ['{"log":{"entries":{}}}', /it has no log\.entries/],
  ['{"log":{"entries":[]}}', /has no response that can be a stub$/m],
  ['{"log":\n{"entries":[7]}}', /log\.entries\[0\] must be an object \(line 2\)$/m],
  [
    '{"log":{"entries":[\n{"request":{}}]}}',
    /log\.entries\[0\] \(line 2\) is not valid: response is required$/m,
  ],
  [
    '{"log":{"entries":[{"a":x}]}}',
    /log\.entries\[0\] \(line 1\) is not JSON: Unexpected token 'x'$/m,
  ],
  ['{"log":{"entries":[{"a":1},\n{"a":', /log\.entries\[0\]/],
  [`{"log":{"entries":[${'['.repeat(2000)}`, /log\.entries\[0\] must be an object/],
  [`{"log":{"entries":[{"a":${'['.repeat(2000)}`, /it is nested too deeply \(line 1\)$/m],
  ['{"log":{"entries":[{]', /it is not JSON: a bracket is missing \(line 1\)$/m],
  [toHar([{}]).slice(0, -10), /it ends early in log\.entries\[0\] \(line 1\)$/m],
]
for (const [har, error] of wrong) {
  test(`an import of ${har.slice(0, 50)} ends with exit code 2`, async (t) => {
    const { code, output } = await runImport(t, har)
    assert.equal(code, 2, output)
    assert.match(output, error)
  })
}

test('an import replaces no file', async (t) => {
  const { code, output } = await runImport(t, toHar([{}]), 'traffic.har')
  assert.equal(code, 2)
  assert.match(output, /traffic\.har already exists$/m)
})

test('an archive in place of a data file leads to the import', async (t) => {
  const { source } = await runImport(t, toHar([{}]))
  const started = spawnVitrine({}, [source])
  await until(() => started.process.exitCode !== null)
  assert.equal(started.process.exitCode, 2)
  assert.match(
    started.output(),
    /is an HTTP Archive\. Make stubs of it: vitrine import .*traffic\.har stubs\.yaml/,
  )
})

test('what the request inspector has recorded is imported, and served again', async (t) => {
  const { origin: recorded } = await startVitrine(t, { INSPECTOR: 'all' })
  const custom = '/responses/custom?tag='
  const requests: [path: string, init: RequestInit][] = [
    [
      '/people',
      {
        method: 'POST',
        body: new URLSearchParams({ name: 'Ann', password: 'secret' }),
        redirect: 'manual',
      },
    ],
    ['/people', { headers: { accept: 'application/json' } }],
    [`${custom}1&json={"a":[1.50,"é"]}&header=X-A:+1`, {}],
    [`${custom}2&status=503&body=Try again&encoding=gzip`, { method: 'PUT' }],
    [`${custom}3&base64=/wD/`, {}],
    [`${custom}4&status=302&header=Location:+/people`, { redirect: 'manual' }],
    ['/nowhere', { headers: { accept: 'application/json' } }],
  ]
  const ask = async (origin: string) => {
    const answers: unknown[] = []
    for (const [path, init] of requests) {
      const response = await fetch(origin + path, init)
      const { status, headers } = response
      const names = ['content-type', 'location', 'x-a']
      const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
      answers.push([path, status, names.map((name) => headers.get(name)), body])
    }
    return answers
  }
  const expected = await ask(recorded)
  const har = await (await fetch(`${recorded}/inspector.har`)).text()
  const { target, output } = await runImport(t, har, 'stubs.json')
  assert.match(output, /^Saved 5 stubs of 7 entries/m)
  assert.deepEqual(await ask(await serve(t, target)), expected)
})
