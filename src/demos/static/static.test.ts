import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/start-vitrine.ts'
import { testApp } from '../../../test/test-app.ts'

const lastModified = 'Sun, 09 Sep 2001 01:46:40 GMT'
const files: Readonly<Record<string, string>> = {
  'public/digits.txt': '0123456789',
  'public/page.html': '<p>page</p>',
  'public/style.css': 'p {}',
  'public/script.js': '0',
  'public/bytes.bin': 'bytes',
  'public/empty.txt': '',
  'public/two words é.txt': 'named',
  'public/mirror/query': 'a file with the path of a demo',
  'public/sub/page.html': '<p>below</p>',
  'public/plain/file.txt': 'never listed',
  'public/.hidden': 'secret',
  'public/.git/config': 'secret',
  'public/sub/.hidden': 'secret',
  'outside.txt': 'secret',
  'public-too/file.txt': 'secret',
}

/** The app over its own folder, `public`, beside which there are files that are not served. */
async function openFolder(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'vitrine-static-'))
  t.after(() => rm(root, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
    await utimes(join(root, name), 1e9, 1e9)
  }
  return testApp(t, { settings: { PUBLIC_DIR: join(root, 'public') } })
}

test('a file is served unchanged, with its media type and validators', async (t) => {
  const app = await openFolder(t)
  const cases: [url: string, type: RegExp, content: string][] = [
    ['/digits.txt', /^text\/plain/, '0123456789'],
    ['/page.html', /^text\/html/, '<p>page</p>'],
    ['/style.css', /^text\/css/, 'p {}'],
    ['/script.js', /^(text|application)\/javascript/, '0'],
    ['/bytes.bin', /^application\/octet-stream/, 'bytes'],
    ['/empty.txt', /^text\/plain/, ''],
    ['/two%20words%20%C3%A9.txt', /^text\/plain/, 'named'],
    ['/sub/page.html', /^text\/html/, '<p>below</p>'],
    ['/digits.txt?a=1', /^text\/plain/, '0123456789'],
  ]
  for (const [url, type, content] of cases) {
    await t.test(url, async () => {
      const response = await app.inject(url)
      assert.equal(response.statusCode, 200)
      assert.match(String(response.headers['content-type']), type)
      assert.equal(response.body, content)
      assert.equal(response.headers['content-length'], String(content.length))
      assert.match(String(response.headers.etag), /^(W\/)?"[^"]+"$/)
      assert.equal(response.headers['last-modified'], lastModified)
      assert.equal(response.headers['accept-ranges'], 'bytes')
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
    })
  }
})

test('a trailing slash changes nothing', async (t) => {
  const app = await openFolder(t)
  const response = await app.inject('/digits.txt/')
  assert.equal(response.statusCode, 200)
  assert.equal(response.body, '0123456789')
})

test('a demo takes precedence over a file with its name', async (t) => {
  const app = await openFolder(t)
  assert.equal((await app.inject('/mirror/query?a=glass')).body, 'a: glass\n')
})

test('HEAD has the headers of GET and no body', async (t) => {
  const app = await openFolder(t)
  const get = await app.inject('/digits.txt')
  const head = await app.inject({ method: 'HEAD', url: '/digits.txt' })
  assert.equal(head.statusCode, 200)
  for (const name of ['content-type', 'content-length', 'etag', 'last-modified']) {
    await t.test(name, () => {
      assert.equal(head.headers[name], get.headers[name])
    })
  }
  assert.equal(head.body, '')
})

test('a conditional request for an unchanged file gets 304 without a body', async (t) => {
  const app = await openFolder(t)
  const { etag = '' } = (await app.inject('/digits.txt')).headers
  const cases: [headers: Record<string, string>, status: number][] = [
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"other", ${etag}` }, 304],
    [{ 'if-none-match': etag.replace(/^W\//, '') }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"other"' }, 200],
    [{ 'if-modified-since': lastModified }, 304],
    [{ 'if-modified-since': 'Sun, 09 Sep 2001 01:46:41 GMT' }, 304],
    [{ 'if-modified-since': 'Sun, 09 Sep 2001 01:46:39 GMT' }, 200],
    [{ 'if-none-match': '"other"', 'if-modified-since': lastModified }, 200],
  ]
  for (const [headers, status] of cases) {
    for (const method of ['GET', 'HEAD'] as const) {
      await t.test(`${String(status)} ${method}`, async () => {
        const response = await app.inject({ method, url: '/digits.txt', headers })
        assert.equal(response.statusCode, status, JSON.stringify(headers))
        assert.equal(response.headers.etag, etag)
        if (status === 304) assert.equal(response.body, '')
      })
    }
  }
})

test('a single range gets 206 with that part', async (t) => {
  const app = await openFolder(t)
  const cases: [range: string, content: string, part: string][] = [
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ]
  for (const [range, content, part] of cases) {
    await t.test(range, async () => {
      const response = await app.inject({ url: '/digits.txt', headers: { range } })
      assert.equal(response.statusCode, 206)
      assert.equal(response.body, content)
      assert.equal(response.headers['content-range'], part)
      assert.equal(response.headers['content-length'], String(content.length))
    })
  }
})

test('a suffix range longer than the file is the whole file', async (t) => {
  const app = await openFolder(t)
  const response = await app.inject({ url: '/digits.txt', headers: { range: 'bytes=-99' } })
  assert.match(String(response.statusCode), /^20[06]$/)
  assert.equal(response.body, '0123456789')
})

test('an unsatisfiable range gets 416 with the size', async (t) => {
  const app = await openFolder(t)
  for (const range of ['bytes=10-', 'bytes=50-60']) {
    await t.test(range, async () => {
      const response = await app.inject({ url: '/digits.txt', headers: { range } })
      assert.equal(response.statusCode, 416)
      assert.equal(response.headers['content-range'], 'bytes */10')
      assert.doesNotMatch(response.body, /0123/)
    })
  }
})

test('a malformed range, or one for another version of the file, is ignored', async (t) => {
  const app = await openFolder(t)
  const cases: Record<string, string>[] = [
    { range: 'lines=2-4' },
    { range: 'bytes=2-4', 'if-range': '"other"' },
    { range: 'bytes=2-4', 'if-range': 'Sun, 09 Sep 2001 01:46:39 GMT' },
  ]
  for (const headers of cases) {
    await t.test(JSON.stringify(headers), async () => {
      const response = await app.inject({ url: '/digits.txt', headers })
      assert.equal(response.statusCode, 200)
      assert.equal(response.body, '0123456789')
    })
  }
})

test('HEAD ignores Range, which is defined for GET only', async (t) => {
  const app = await openFolder(t)
  for (const range of ['bytes=2-4', 'bytes=50-60']) {
    await t.test(range, async () => {
      const response = await app.inject({ method: 'HEAD', url: '/digits.txt', headers: { range } })
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-length'], '10')
    })
  }
})

test('If-Range with a weak validator gets the whole file', async (t) => {
  const app = await openFolder(t)
  const { etag = '' } = (await app.inject('/digits.txt')).headers
  const headers = { range: 'bytes=2-4', 'if-range': etag }
  const response = await app.inject({ url: '/digits.txt', headers })
  assert.equal(response.statusCode, etag.startsWith('W/') ? 200 : 206)
})

test('If-Range with a date is ignored until the second of the last change has passed', async (t) => {
  const folder = await temporaryFolder(t)
  const app = await testApp(t, { settings: { PUBLIC_DIR: folder } })
  const write = async (content: string, seconds: number) => {
    await writeFile(join(folder, 'file.txt'), content)
    await utimes(join(folder, 'file.txt'), seconds, seconds)
  }
  // A second that does not pass during the test.
  const later = Math.floor(Date.now() / 1000) + 86_400
  await write('AAAAA', later)
  const first = await app.inject('/file.txt')
  await write('BBBBB', later + 0.5)
  const headers = { range: 'bytes=2-4', 'if-range': String(first.headers['last-modified']) }
  const second = await app.inject({ url: '/file.txt', headers })
  assert.equal(second.headers['last-modified'], first.headers['last-modified'])
  assert.equal(second.statusCode, 200)
  assert.equal(second.body, 'BBBBB')
  const old = { range: 'bytes=2-4', 'if-range': lastModified }
  await write('CCCCC', 1e9)
  assert.equal((await app.inject({ url: '/file.txt', headers: old })).statusCode, 206)
})

test('no dot file, no listing and nothing outside the folder is served', async (t) => {
  const app = await openFolder(t)
  const urls = ['/.hidden', '/%2ehidden', '/sub/.hidden', '/.git/config', '/.git', '/sub%2f.hidden']
  const folders = ['/plain', '/plain/', '/sub/', '/sub', '/./', '/plain/.']
  const outside = [
    '/../outside.txt',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '/..%5coutside.txt',
  ]
  const further = ['/sub/../../outside.txt', '/sub/..%2f..%2foutside.txt', '/%2e%2e%2foutside.txt']
  const beside = ['/../public-too/file.txt', '/..%2fpublic-too/file.txt', '/%252e%252e/outside.txt']
  const absolute = ['//etc/passwd', '/%2fetc/passwd', '/file:%2f%2f/etc/passwd', '/%00']
  const cut = ['/digits.txt%00', '/.hidden%00.txt', '/digits.txt%00.html']
  for (const url of [...urls, ...folders, ...outside, ...further, ...beside, ...absolute, ...cut]) {
    for (const method of ['GET', 'POST'] as const) {
      await t.test(`${method} ${url}`, async () => {
        const response = await app.inject({ method, url })
        if (url !== '/./') assert.match(String(response.statusCode), /^40[034]$/)
        assert.doesNotMatch(response.body, /secret|root:|file\.txt<|digits\.txt<|vitrine-static/)
      })
    }
  }
})

test('an invalid percent-encoding gets 400', async (t) => {
  const app = await openFolder(t)
  for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
    for (const url of ['/%ff', '/%e0%a4%a', '/digits.txt%ff']) {
      await t.test(`${method} ${url}`, async () => {
        assert.equal((await app.inject({ method, url })).statusCode, 400)
      })
    }
  }
})

test('an unsafe method gets 405 with Allow, and OPTIONS lists the same methods', async (t) => {
  const app = await openFolder(t)
  for (const url of ['/digits.txt', '/sub/page.html', '/two%20words%20%C3%A9.txt', '/empty.txt']) {
    await t.test(url, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        const headers = { 'content-type': 'application/json' }
        const response = await app.inject({ method, url, headers, payload: '{' })
        assert.equal(response.statusCode, 405, `${method} ${url}`)
        assert.equal(response.headers.allow, 'GET, HEAD, OPTIONS', `${method} ${url}`)
      }
      const options = await app.inject({ method: 'OPTIONS', url })
      assert.equal(options.statusCode, 204)
      assert.equal(options.headers.allow, 'GET, HEAD, OPTIONS')
    })
  }
})

test('without a file every method gets 404, and the response names the path', async (t) => {
  const app = await openFolder(t)
  for (const url of ['/nowhere.html', '/sub/nowhere.html', '/plain', '/digits.txt/more']) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      await t.test(`${method} ${url}`, async () => {
        const response = await app.inject({ method, url })
        assert.equal(response.statusCode, 404)
        assert.ok(response.body.includes(url))
      })
    }
  }
})

test('a folder with an index serves the index, and accepts no unsafe method', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'vitrine-static-'))
  t.after(() => rm(root, { recursive: true }))
  await mkdir(join(root, 'sub'))
  await writeFile(join(root, 'sub', 'index.html'), '<p>index</p>')
  const app = await testApp(t, { settings: { PUBLIC_DIR: root } })
  for (const url of ['/sub', '/sub/']) {
    await t.test(url, async () => {
      assert.equal((await app.inject(url)).body, '<p>index</p>')
      assert.equal((await app.inject({ method: 'POST', url })).statusCode, 405)
    })
  }
  assert.match((await app.inject('/')).body, /<title>Vitrine<\/title>/)
})

test('a PUBLIC_DIR that is not a folder is rejected', async (t) => {
  const settings = { PUBLIC_DIR: join(tmpdir(), 'vitrine-no-such-folder') }
  await assert.rejects(testApp(t, { settings }), /PUBLIC_DIR must be an existing folder/)
})

test('the home page and the page of the demo have the files of another folder', async (t) => {
  const app = await openFolder(t)
  for (const url of ['/', '/demos/static']) {
    await t.test(url, async () => {
      const { body } = await app.inject(url)
      assert.match(body, /page\.html/)
      assert.doesNotMatch(body, /topic\.html/)
    })
  }
  await t.test('all of them', async () => {
    assert.match((await app.inject('/demos/static')).body, /two words é\.txt/)
  })
})

test('without files, no page has a request for one', async (t) => {
  const empty = await mkdtemp(join(tmpdir(), 'vitrine-static-'))
  t.after(() => rm(empty, { recursive: true }))
  const app = await testApp(t, { settings: { PUBLIC_DIR: empty } })
  for (const url of ['/', '/demos/static']) {
    await t.test(url, async () => {
      const { statusCode, body } = await app.inject(url)
      assert.equal(statusCode, 200)
      assert.doesNotMatch(body, /topic\.html/)
    })
  }
})
