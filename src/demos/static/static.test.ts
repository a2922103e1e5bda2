import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { lastModified, openFolder } from '../../../test/support/static-folder.ts'
import { testApp } from '../../../test/support/test-app.ts'

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

test('the folder .well-known of the root is served, and no other dot file in it', async (t) => {
  const publicDir = await mkdtemp(join(tmpdir(), 'vitrine-static-'))
  t.after(() => rm(publicDir, { recursive: true }))
  for (const folder of ['.well-known/.git', 'sub/.well-known', '.well-known/acme-challenge'])
    await mkdir(join(publicDir, folder), { recursive: true })
  const files = ['.well-known/security.txt', '.well-known/acme-challenge/a']
  const hidden = ['.well-known/.hidden', '.well-known/.git/config', 'sub/.well-known/a', '.env']
  for (const name of [...files, ...hidden]) await writeFile(join(publicDir, name), 'a')
  const app = await testApp(t, { settings: { PUBLIC_DIR: publicDir } })
  for (const name of files) assert.equal((await app.inject(`/${name}`)).statusCode, 200)
  for (const name of [...hidden, '.well-known', '.well-known/%2e%2e/.env'])
    assert.equal((await app.inject(`/${name}`)).statusCode, 404, name)
})
