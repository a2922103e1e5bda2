import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asUpload } from '../support/multipart-form.ts'
import { browserAccept, formType } from '../support/resources.ts'
import { useWatched } from '../support/watched-vitrine.ts'

const json = { accept: 'application/json', 'content-type': 'application/json' }
const watched = useWatched()

const hostile = [
  `<script>alert('x')</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  `</title><script>alert(1)</script>`,
  `</textarea><script>alert(1)</script>`,
  `javascript:alert(1)`,
  `<!-- --!><svg onload=alert(1)>`,
  `&lt;b&gt; &amp;lt; &#60;`,
  `\u202e\u2066 turned \u2069`,
  `\u2028\u2029`,
  `line\r\nSet-Cookie: evil=1`,
  `\\"; \\u003cscript\\u003e`,
  `\${alert(1)} {{7*7}} <%= 1 %>`,
  '=cmd|calc',
  '\ufffe\uffff😀',
]

/** Fails when a page holds markup that could run, or that a value has brought in. */
function assertInert(page: string, where: string): void {
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)[^>]*>/i, where)
  assert.doesNotMatch(page, /<script[^>]*>[^<]+<\/script>/i, where)
  // A quoted text is a value, even if it resembles markup.
  assert.doesNotMatch(page.replaceAll(/="[^"]*"/g, '=""'), /<[^<>]*\s(?:on\w+|style)\s*=/i, where)
  // The pictures of pages are the map, the bars of times, the diagrams of exchanges, and bodies that are images.
  const pictures =
    /<img data-kind="image" src="data:image\/[\w.+-]+;base64,[\w+/=]*" alt="The body">|<svg(?: class="arrow" height="9" aria-hidden="true"| x="(?:1|100%)" y="4\.5" overflow="visible"| role="group" aria-label="Map"| x="[\d.]+%" y="[\d.]+%" overflow="visible"| viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true")?>/g
  const others = page.replaceAll(pictures, '')
  assert.doesNotMatch(others, /<(?:img|svg|style|iframe|object|embed|base)\b/i, where)
  assert.doesNotMatch(others, /(?:href|src|action)\s*=\s*["']?\s*(?:javascript|data):/i, where)
}

test('names with markup are text on every page and in every representation', async (t) => {
  const { origin, assertSound } = watched()
  for (const [index, name] of hostile.entries()) {
    const id = `h${String(index)}`
    const user = { name, password: 'secret' }
    const place = { name, latitude: 1, longitude: 2, note: name }
    for (const [path, value] of [
      ['users', user],
      ['places', place],
    ] as const) {
      const url = `${origin}/${path}/${id}`
      const body = JSON.stringify(value)
      assert.equal((await fetch(url, { method: 'PUT', headers: json, body })).status, 201, name)
      const shown = (await (await fetch(url, { headers: json })).json()) as { name: string }
      assert.equal(shown.name, name)
      for (const page of [url, `${url}/edit`]) {
        const response = await fetch(page, { headers: { accept: browserAccept } })
        assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
        assertInert(await response.text(), `${page} ${name}`)
      }
      const text = await fetch(url, { headers: { accept: 'text/plain' } })
      assert.match(text.headers.get('content-type') ?? '', /^text\/plain/)
    }
  }
  for (const path of ['/users', '/places']) {
    await t.test(path, async () => {
      const list = await fetch(origin + path, { headers: { accept: browserAccept } })
      assertInert(await list.text(), path)
      const shown = (await (await fetch(origin + path, { headers: json })).json()) as {
        name: string
      }[]
      const names = shown.map(({ name }) => name)
      assert.deepEqual(names, hostile)
    })
  }
  const login = await fetch(`${origin}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': formType, accept: browserAccept },
    body: new URLSearchParams({ username: hostile[0] ?? '', password: 'secret' }),
  })
  const cookie = (login.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
  const session = await fetch(`${origin}/session`, { headers: { cookie, accept: browserAccept } })
  const page = await session.text()
  assert.match(page, /&lt;script&gt;|&#60;script/)
  assertInert(page, '/session')
  await assertSound()
})

test('typed values are shown as text in forms and errors', async (t) => {
  const { origin, assertSound } = watched()
  for (const text of hostile) {
    await t.test(text, async () => {
      const fields = new URLSearchParams({
        name: text,
        latitude: text,
        longitude: '1',
        username: text,
      })
      const headers = { 'content-type': formType, accept: browserAccept }
      for (const path of ['/people', '/places', '/login']) {
        const response = await fetch(origin + path, { method: 'POST', headers, body: fields })
        assert.ok(
          [401, 422].includes(response.status),
          `${path} ${text}: ${String(response.status)}`,
        )
        assertInert(await response.text(), `${path} ${text}`)
      }
      const encoded = encodeURIComponent(text)
      for (const path of [
        `/people/${encoded}`,
        `/${encoded}`,
        `/mirror/status/${encoded}`,
        `/api/${encoded}`,
      ]) {
        const response = await fetch(origin + path, { headers: { accept: browserAccept } })
        const type = response.headers.get('content-type') ?? ''
        assert.ok(response.status < 500, path)
        if (type.startsWith('text/html')) assertInert(await response.text(), path)
        else assert.match(type, /^(text\/plain|application\/(problem\+)?json)/, path)
      }
      for (const path of [
        `/mirror/query?a=${encoded}`,
        `/user${encoded}`,
        `/api/get_json_with_param?name=${encoded}`,
      ]) {
        const response = await fetch(origin + path, { headers: { accept: browserAccept } })
        const type = response.headers.get('content-type') ?? ''
        if (type.startsWith('text/html')) assertInert(await response.text(), path)
        else assert.doesNotMatch(type, /html|xml|javascript/, path)
      }
    })
  }
  await assertSound()
})

const files: [fileName: string, type: string, content: string][] = [
  ['page.html', 'text/html', '<script>alert(1)</script>'],
  ['image.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ['script.js', 'text/javascript', 'alert(1)'],
  ['page.xhtml', 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
  ['paper.pdf', 'application/pdf', '%PDF-1.7'],
  ['<script>alert(1)</script>.html', 'text/html', 'x'],
  ['../../etc/passwd', 'text/plain', 'x'],
  ['C:\\autoexec.bat', 'application/x-bat', 'x'],
  ['line\u2028\u202egnp.exe', 'image/png', 'x'],
  ['.htaccess', 'text/plain', 'x'],
  ['x'.repeat(400), 'text/plain', 'x'],
  ['a', 'text/html; charset=utf-7', 'x'],
  ['b', 'nonsense', 'x'],
  ['c', 'text/html\u00e9', 'x'],
]

test('uploads are served as sandboxed attachments, whatever their media type', async (t) => {
  const { origin, assertSound } = watched()
  for (const [fileName, type, content] of files) {
    await t.test(fileName, async () => {
      const { headers, payload } = asUpload(content, { fileName, type })
      const body = Buffer.from(payload)
      const sent = await fetch(`${origin}/profile`, { method: 'POST', headers, body })
      assert.equal(sent.status, 200)
      assert.match(sent.headers.get('content-type') ?? '', /^text\/plain/)
      const response = await fetch(origin + (sent.headers.get('location') ?? ''))
      assert.equal(response.status, 200)
      assert.match(response.headers.get('content-disposition') ?? '', /^attachment(;|$)/)
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      assert.match(
        response.headers.get('content-security-policy') ?? '',
        /default-src 'none'.*sandbox/,
      )
      assert.doesNotMatch(response.headers.get('content-disposition') ?? '', /[/\\]etc|\.\.\//)
      assert.equal(await response.text(), content)
    })
  }
  const page = await fetch(`${origin}/uploads`, { headers: { accept: browserAccept } })
  assertInert(await page.text(), '/uploads')
  const list = await fetch(`${origin}/uploads`, { headers: { accept: 'application/json' } })
  const shown = (await list.json()) as { name: string }[]
  assert.equal(shown.length, files.length)
  for (const { name } of shown) assert.doesNotMatch(name, /[/\\]|^$/)
  await assertSound()
})

test('no page has an inline script, handler or style, and each has a policy against them', async () => {
  const { origin, assertSound } = watched()
  const found = new Set(['/', '/nowhere', '/people/nobody', '/mirror/status/500'])
  for (const path of found) {
    const response = await fetch(origin + path, { headers: { accept: browserAccept } })
    const policy = response.headers.get('content-security-policy') ?? ''
    const ofVisitor = path.startsWith('/responses/') ? '|^sandbox$' : ''
    assert.match(policy, new RegExp(`default-src '(self|none)'${ofVisitor}`), path)
    assert.doesNotMatch(policy, /unsafe-|upgrade-insecure-requests/, path)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', path)
    if (!(response.headers.get('content-type') ?? '').startsWith('text/html')) continue
    const page = await response.text()
    assertInert(page, path)
    for (const [, link = ''] of page.matchAll(/(?:href|src)="(\/[^"]*)"/g)) {
      const [folder = link] = /^\/\w+/.exec(link) ?? []
      // Hundreds of pages about operations, or about exchanges, have one template.
      const sisters = [...found].filter((other) => other.startsWith(folder))
      if (sisters.length < 50) found.add(link)
    }
  }
  assert.ok(found.size > 20)
  await assertSound()
})
