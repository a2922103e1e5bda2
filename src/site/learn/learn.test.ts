import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownHost, ownOrigin } from '../../../test/request-both-ways.ts'
import { testApp } from '../../../test/test-app.ts'
import { demos } from '../../demos/catalogue.ts'
import { lessons } from './lessons.ts'

test('/learn lists the lessons in order, for shared caches', async (t) => {
  const app = await testApp(t)
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
  test(`the requests of /learn/${slug} have routes, and their demos exist`, async (t) => {
    const app = await testApp(t)
    for (const { demo, method, path } of steps) {
      const { statusCode } = await app.inject({ method: 'OPTIONS', url: path })
      if (!path.startsWith('/status/')) assert.equal(statusCode, 204, `${method} ${path}`)
      if (demo)
        assert.ok(
          demos.some(({ name }) => name === demo),
          demo,
        )
    }
    const { body } = await app.inject({ url: `/learn/${slug}`, headers: { host: ownHost } })
    assert.ok(body.includes('>curl</figcaption>') && body.includes(ownOrigin))
    assert.doesNotMatch(body, /which this service does not have/)
  })

  test(`/learn/${slug} has no request to a demo that is not open`, async (t) => {
    const app = await testApp(t, { settings: { DEMOS: 'user' } })
    const { body } = await app.inject(`/learn/${slug}`)
    const count = (text: string) => body.split(text).length - 1
    const closed = steps.filter(({ demo }) => demo !== '').length
    assert.equal(count('which this service does not have'), closed)
    assert.equal(count('data-request='), steps.length - closed)
    assert.equal(count('>curl</figcaption>'), steps.length - closed)
  })
}

for (const slug of ['methods', 'sessions']) {
  test(`/learn/${slug} has another name in its requests for each visitor`, async (t) => {
    const app = await testApp(t)
    const readNames = async () => {
      const { body, headers } = await app.inject(`/learn/${slug}`)
      assert.equal(headers['cache-control'], 'private, max-age=3600')
      return body.match(/my-lesson[-\w]*/g) ?? []
    }
    const [first, ...others] = await readNames()
    assert.match(first ?? '', /^my-lesson-[\da-f]{6}$/)
    // In the form, the request and the curl command.
    assert.ok(others.length >= 5 && others.every((name) => name === first))
    assert.notEqual((await readNames())[0], first)
  })
}
