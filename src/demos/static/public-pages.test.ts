import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/support/test-app.ts'
import { demos } from '../catalogue.ts'

type Attributes = Readonly<Record<string, string>>

function parseAttributes(text: string): Attributes {
  const found = text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]))
}

/** The one form of a page: its attributes, and its inputs by name and type. */
function parseForm(page: string): { form: Attributes; inputs: string[] } {
  const forms = [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)]
  assert.equal(forms.length, 1)
  const [, attributes = '', content = ''] = forms[0] ?? []
  const inputs = [...content.matchAll(/<input\b([^>]*)>/g)].map(([, text = '']) => {
    const { name = '', type = 'text' } = parseAttributes(text)
    return `${name} ${type}`
  })
  assert.match(content, /<button type="submit"/)
  return { form: parseAttributes(attributes), inputs: [...new Set(inputs)] }
}

const choices = ['a text', 'sex radio', 'vehicle checkbox']
const multipart = 'multipart/form-data'

const pageOf: Readonly<Record<string, [url: string, form: Attributes, inputs: string[]]>> = {
  topic: ['/topic.html', { method: 'get', action: '/topic' }, choices],
  toc: ['/toc.html', { method: 'post', action: '/toc/aaa' }, choices],
  uploads: [
    '/profile.html',
    { method: 'post', action: '/profile', enctype: multipart },
    ['upfiles file'],
  ],
}
// A demo is deleted with its page.
const pages = demos.flatMap(({ name }) => (pageOf[name] ? [pageOf[name]] : []))

for (const [url, form, inputs] of pages) {
  test(`the form of ${url} has a route`, async (t) => {
    const app = await testApp(t, { demos })
    const response = await app.inject(url)
    assert.equal(response.statusCode, 200)
    assert.match(String(response.headers['content-type']), /^text\/html/)
    assert.deepEqual(parseForm(response.body), { form, inputs })
    const { method, action: target = '' } = form
    const sent = await app.inject({ method: method === 'post' ? 'POST' : 'GET', url: target })
    assert.ok(![404, 405].includes(sent.statusCode), String(sent.statusCode))
  })

  test(`${url} loads only URLs that exist`, async (t) => {
    const app = await testApp(t, { demos })
    const { body } = await app.inject(url)
    const urls = [...body.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, href = '']) => href)
    assert.ok(urls.length > 0)
    for (const address of urls) {
      await t.test(address, async () => {
        assert.equal((await app.inject(address)).statusCode, 200)
      })
    }
  })
}

test('each checkbox and radio button has a value of its own', async (t) => {
  const app = await testApp(t, { demos })
  for (const [url] of pages.filter(([, , inputs]) => inputs === choices)) {
    await t.test(url, async () => {
      const { body } = await app.inject(url)
      const inputs = [...body.matchAll(/<input\b([^>]*)>/g)].map(([, text = '']) =>
        parseAttributes(text),
      )
      for (const type of ['radio', 'checkbox']) {
        const values = inputs.filter((input) => input.type === type).map(({ value }) => value)
        assert.ok(values.length >= 2, `${url} ${type}`)
        assert.equal(new Set(values).size, values.length, `${url} ${type}`)
        assert.ok(values.every(Boolean), `${url} ${type}`)
      }
    })
  }
})

test('the pages have the policy of all pages, without inline script or style', async (t) => {
  const app = await testApp(t, { demos })
  for (const [url] of pages) {
    await t.test(url, async () => {
      const response = await app.inject(url)
      assert.match(String(response.headers['content-security-policy']), /default-src 'self'/)
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
      assert.doesNotMatch(
        response.body,
        /<script(?! (?:type="module" )?src="\/assets\/)|<style|\bstyle=|\bon[a-z]+=/,
      )
    })
  }
})
