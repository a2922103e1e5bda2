import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  browserAccept,
  createRecord,
  openRecord,
  openSamples,
  readRecord,
  sampleId,
  samples,
  without,
  type Shown,
} from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const html = 'text/html; charset=utf-8'
const json = 'application/json; charset=utf-8'
const text = 'text/plain; charset=utf-8'

const representations: [accept: string | undefined, type: string][] = [
  [undefined, html],
  ['*/*', html],
  [browserAccept, html],
  ['text/html', html],
  ['application/json', json],
  ['application/*', json],
  ['application/json, text/plain;q=0.9, */*;q=0.1', json],
  ['text/html;q=0.5, application/json', json],
  ['text/plain', text],
  ['text/plain, text/html;q=0.9', text],
  ['image/png, text/plain;q=0.1', text],
]

function accepting(accept: string | undefined): Record<string, string> {
  return accept === undefined ? {} : { accept }
}

const filled = useApp({}, openSamples)

for (const { path, fields } of samples) {
  for (const [accept, type] of representations) {
    test(`${path} and one of them are ${type} for Accept: ${accept ?? '(none)'}`, async (t) => {
      const app = filled()
      for (const url of [path, `${path}?per_page=5`, `${path}/${sampleId}`]) {
        await t.test(url, async () => {
          const response = await app.inject({ url, headers: accepting(accept) })
          assert.equal(response.statusCode, 200)
          assert.equal(response.headers['content-type'], type)
          assert.match(String(response.headers.vary), /\bAccept\b(?!-)/)
          assert.ok(response.body.includes(sampleId))
          assert.ok(response.body.includes(fields.name))
        })
      }
    })
  }

  test(`a record of ${path} as JSON has its id, its readable fields and the two times`, async (t) => {
    const app = await testApp(t)
    const { _id, createdAt, updatedAt } = await createRecord(app, path, fields)
    const shown = await readRecord(app, `${path}/${_id}`)
    const readable = without<string | number>(fields, 'password')
    assert.deepEqual(shown, { _id, ...readable, createdAt, updatedAt })
    for (const time of [createdAt, updatedAt]) {
      await t.test(time, () => {
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
      })
    }
  })

  test(`the page of a record of ${path} shows every readable field`, async (t) => {
    const app = await testApp(t)
    const { _id, createdAt, ...shown } = await createRecord(app, path, fields)
    const { body } = await app.inject(`${path}/${_id}`)
    assert.ok(body.startsWith('<!doctype html>'))
    for (const value of Object.values(shown)) assert.ok(body.includes(String(value)), String(value))
    assert.ok(body.includes(`datetime="${createdAt}"`))
  })

  test(`${path} without records is an empty list in every representation`, async (t) => {
    const app = await testApp(t)
    const sent = (accept: string) => app.inject({ url: path, headers: { accept } })
    assert.deepEqual((await sent('application/json')).json(), [])
    assert.equal((await sent('text/plain')).body, '')
    const page = await sent('text/html')
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /<\/html>/)
  })

  test(`${path} lists the oldest first in every representation`, async (t) => {
    const app = await testApp(t)
    const ids: string[] = []
    for (let index = 0; index < 6; index += 1) {
      ids.push((await createRecord(app, path, { ...fields, name: 'Same' }))._id)
    }
    await app.inject({ method: 'PATCH', url: `${path}/${ids[1] ?? ''}`, payload: { name: 'New' } })
    for (const accept of ['text/html', 'application/json', 'text/plain']) {
      await t.test(accept, async () => {
        const { body } = await app.inject({ url: path, headers: { accept } })
        const places = ids.map((id) => body.indexOf(id))
        assert.ok(!places.includes(-1))
        assert.deepEqual(places, places.toSorted(byNumber))
      })
    }
  })

  test(`the JSON of ${path} has the same objects as the single records`, async (t) => {
    const app = await testApp(t)
    for (const name of ['a', 'b', 'c']) await createRecord(app, path, { ...fields, name })
    const { body } = await app.inject({ url: path, headers: { accept: 'application/json' } })
    const listed = JSON.parse(body) as Shown[]
    assert.equal(listed.length, 3)
    for (const item of listed) {
      assert.deepEqual(await readRecord(app, `${path}/${item._id}`), item)
    }
  })

  test(`the text of ${path} has one line for each record, whatever their names contain`, async (t) => {
    const app = await testApp(t)
    for (const name of ['plain', 'a\nforged line', 'b\r\nc', '\n']) {
      await createRecord(app, path, { ...fields, name })
    }
    const { body } = await app.inject({ url: path, headers: { accept: 'text/plain' } })
    assert.equal(body.trimEnd().split(/\r\n|\r|\n/).length, 4)
  })

  for (const route of ['', '/new', '/:id', '/:id/edit']) {
    test(`GET ${path}${route} is the same with and without a trailing slash`, async () => {
      const app = filled()
      const url = path + route.replace(':id', sampleId)
      const [plain, slashed] = [await app.inject(url), await app.inject(`${url}/`)]
      assert.equal(plain.statusCode, 200)
      assert.equal(slashed.statusCode, 200)
      // Every new form has its own key.
      const [one, other] = [plain, slashed].map(({ body }) =>
        body.replace(/value="[0-9a-f-]{36}"/, ''),
      )
      assert.equal(other, one)
    })
  }

  for (const accept of ['image/png', 'text/html;q=0', 'application/xml, image/*']) {
    test(`${path} and one of them are 406 for Accept: ${accept}`, async (t) => {
      const app = filled()
      const rejecting = accept === 'text/html;q=0' ? `${accept}, image/png` : accept
      for (const url of [path, `${path}/${sampleId}`]) {
        await t.test(url, async () => {
          const response = await app.inject({ url, headers: { accept: rejecting } })
          assert.equal(response.statusCode, 406)
          assert.match(String(response.headers.vary), /\bAccept\b(?!-)/)
        })
      }
    })
  }

  for (const accept of ['application/json', 'text/plain', 'image/png']) {
    test(`the forms of ${path} are HTML only: 406 for Accept: ${accept}`, async (t) => {
      const app = filled()
      for (const url of [`${path}/new`, `${path}/${sampleId}/edit`]) {
        await t.test(url, async () => {
          assert.equal((await app.inject({ url, headers: { accept } })).statusCode, 406)
        })
      }
    })
  }
}

test('all of six hundred places are listed, each once and oldest first', async (t) => {
  const app = await testApp(t)
  const ids: string[] = []
  for (let index = 0; index < 600; index += 1) {
    ids.push((await createRecord(app, '/places', { name: `Place ${String(index)}` }))._id)
  }
  const { body } = await app.inject({ url: '/places', headers: { accept: 'application/json' } })
  const listedIds = (JSON.parse(body) as Shown[]).map(({ _id }) => _id)
  assert.deepEqual(listedIds, ids)
  const text = await app.inject({ url: '/places', headers: { accept: 'text/plain' } })
  assert.equal(text.body.trimEnd().split('\n').length, 600)
  const page = await app.inject('/places')
  assert.equal(page.body.match(/href="\/places\/[0-9a-f-]{36}"/g)?.length, 600)
})

test('the text of a location has each field on its own line', async (t) => {
  const forged = { name: 'a\nnote: forged', note: 'true' }
  const { app, _id, url } = await openRecord(t, '/places', forged)
  const { body } = await app.inject({ url, headers: { accept: 'text/plain' } })
  const lines = body.trimEnd().split('\n')
  assert.ok(lines.includes(`_id: ${_id}`))
  const found = lines.filter((line) => line.startsWith('note: '))
  assert.deepEqual(found, ['note: true'])
})

function byNumber(one: number, other: number): number {
  return one - other
}
