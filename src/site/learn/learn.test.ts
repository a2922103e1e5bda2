import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { ownHost, ownOrigin } from '../../../test/support/request-both-ways.ts'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'
import { demos } from '../../demos/catalogue.ts'
import { renderInline, renderMarkdown } from '../markdown.ts'
import { parseLesson } from './lesson.ts'
import { loadLessons } from './lessons.ts'
import { toTexts } from './request-text.ts'

const sharedApp = useApp({}, catalogueApp)
const mirrorApp = useApp({ settings: { DEMOS: 'mirror' } })

const lessons = await loadLessons()

test('/learn lists the lessons in order, for shared caches', async () => {
  const app = sharedApp()
  const { body, headers } = await app.inject('/learn')
  const links = [...body.matchAll(/href="\/learn\/([\w-]+)">([^<]+)</g)].map(([, ...link]) => link)
  assert.deepEqual(
    links,
    lessons.map(({ slug, title }) => [slug, title]),
  )
  assert.equal(headers['cache-control'], 'public, max-age=3600')
  assert.equal((await app.inject('/learn/nothing')).statusCode, 404)
})

for (const { slug, steps } of lessons) {
  test(`the requests of /learn/${slug} have routes, unless their demos are deleted`, async () => {
    const app = sharedApp()
    const isHere = (demo?: string) => demo === undefined || demos.some(({ name }) => name === demo)
    const here = steps.filter(({ demo }) => isHere(demo))
    for (const { demo, method, path } of steps) {
      const { statusCode } = await app.inject({ method: 'OPTIONS', url: path })
      if (isHere(demo) && /^\/(status|responses)\//.test(path)) continue
      assert.equal(statusCode === 204, isHere(demo), `${method} ${path} of ${String(demo)}`)
    }
    const { body } = await app.inject({ url: `/learn/${slug}`, headers: { host: ownHost } })
    assert.equal(body.split('data-request=').length - 1, here.length)
    assert.ok(here.length === 0 || body.includes(ownOrigin))
  })

  test(`/learn/${slug} has no request to a demo that is not open`, async () => {
    const app = mirrorApp()
    const { body } = await app.inject(`/learn/${slug}`)
    const count = (text: string) => body.split(text).length - 1
    const closed = steps.filter(({ demo }) => demo !== undefined).length
    assert.equal(count('which this service does not have'), closed)
    assert.equal(count('data-request='), steps.length - closed)
    assert.equal(count('>curl</figcaption>'), steps.length - closed)
  })
}

for (const slug of ['methods', 'sessions']) {
  test(`/learn/${slug} has another name in its requests for each visitor`, async () => {
    const app = sharedApp()
    const readNames = async () => {
      const { body, headers } = await app.inject(`/learn/${slug}`)
      assert.equal(headers['cache-control'], 'private, no-cache')
      return body.match(/my-lesson[-\w]*/g) ?? []
    }
    const [first, ...others] = await readNames()
    assert.match(first ?? '', /^my-lesson-[\da-f]{6}$/)
    // In the form, the request and the curl command.
    assert.ok(others.length >= 5 && others.every((name) => name === first))
    assert.notEqual((await readNames())[0], first)
  })
}

test('the name of a visitor is the same in each lesson, and only a valid one is accepted', async () => {
  const app = sharedApp()
  const open = async (slug: string, cookie = '') => {
    const { body, headers } = await app.inject({ url: `/learn/${slug}`, headers: { cookie } })
    return { name: /my-lesson-[^ &<]*/.exec(body)?.[0], set: headers['set-cookie'] }
  }
  const { name = '', set } = await open('methods')
  assert.equal(set, `lesson=${name}; Path=/learn; HttpOnly; SameSite=Lax`)
  assert.deepEqual(await open('sessions', `lesson=${name}`), { name, set: undefined })
  for (const invalid of ['my-lesson-<b>', `${name}0`, 'other'])
    assert.ok((await open('methods', `lesson=${invalid}`)).set)
})

for (const { slug, steps } of lessons) {
  test(`/learn/${slug} has the same arguments for Bash and for the command prompt of Windows`, () => {
    for (const step of steps) {
      const { curl, windows = '' } = toTexts(step, ownOrigin)
      const [, ...ofBash] = execFileSync('sh', ['-c', `printf '%s\\n' ${curl}`], {
        encoding: 'utf8',
      })
        .trimEnd()
        .split('\n')
      // As the C runtime of Windows parses a command line without backslashes before other characters.
      const [name, ...ofWindows] = Array.from(
        windows.matchAll(/"((?:\\"|[^"\\])*)"(?= |$)|([^" \\]+)/g),
        ([, quoted, plain]) => plain ?? quoted?.replaceAll('\\"', '"'),
      )
      assert.equal(name, 'curl.exe')
      assert.deepEqual(ofWindows, ofBash)
      assert.doesNotMatch(windows, /%\w+%|[\n^!]/)
    }
  })
}

test('the requests of lessons have the length of their bodies, of which lines end with CRLF', () => {
  for (const step of lessons.flatMap(({ steps }) => steps)) {
    const [head = '', ...body] = toTexts(step, ownOrigin).text.split(/\n\n([^]*)/)
    const length = Buffer.byteLength(body.join('').replaceAll('\n', '\r\n'))
    assert.equal(/\nContent-Length: (\d+)$/.exec(head)?.[1] ?? '0', String(length))
  }
})

for (const [slug, count] of [
  ['caching', 1],
  ['concurrent-edits', 2],
  ['methods', 0],
] as const) {
  test(`/learn/${slug} has ${String(count)} notes about placeholders`, async () => {
    const { body } = await sharedApp().inject(`/learn/${slug}`)
    assert.equal(body.split('Replace <code>ETAG</code>').length - 1, count)
  })
}

test('the files of lessons are those that are listed', async () => {
  const files = await readdir(new URL('lessons', import.meta.url))
  assert.deepEqual(files.sort(), lessons.map(({ slug }) => `${slug}.md`).sort())
})

const step = { title: 'Read', request: 'GET /', why: 'To read.', lookFor: ['The body.'] }
const lesson = { title: 'Reading', summary: 'How to read.', minutes: 1, steps: [step] }
const invalid: readonly [what: string, frontMatter: unknown, message: RegExp][] = [
  ['no front matter', null, /^Error: reading\.md must be object$/],
  [
    'no steps',
    { ...lesson, steps: [] },
    /^Error: reading\.md\/steps must not have fewer than 1 items$/,
  ],
  [
    'no path',
    { ...lesson, steps: [{ ...step, request: 'GET' }] },
    /reading\.md\/steps\/0\/request must match/,
  ],
  ['a misspelled key', { ...lesson, minuts: 1 }, /reading\.md\/minuts /],
]
for (const [what, frontMatter, message] of invalid) {
  test(`a lesson with ${what} is an error that names the place`, () => {
    assert.throws(() => parseLesson('reading', frontMatter, ''), message)
  })
}

test('raw HTML in a lesson is text', () => {
  const text = 'A <b>bold</b> `<br>`'
  assert.equal(renderInline(text).markup, 'A &lt;b&gt;bold&lt;/b&gt; <code>&lt;br&gt;</code>')
  const block = renderMarkdown('<script>alert(1)</script>\n\n*x*\n').markup
  assert.doesNotMatch(block, /<script/)
  assert.match(block, /&lt;script&gt;[^]*<em>x<\/em>/)
})
