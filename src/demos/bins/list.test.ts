import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBin } from '../../../test/support/bins.ts'
import { useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

async function createFilledBin() {
  const sequence = [{ status: 200, times: 2 }, { status: 404 }]
  const bin = await createBin(sharedApp(), { sequence })
  await bin.send('/a', { headers: { 'x-own': 'Hay' } })
  await bin.send('/a/b?c=1', { method: 'POST', payload: 'the needle' })
  await bin.send('/b', { method: 'POST' })
  const [{ id: first } = { id: '' }] = await bin.list()
  return { bin, first }
}

const lists: [query: string, paths: string][] = [
  ['', '/a /a/b?c=1 /b'],
  ['?method=post', '/a/b?c=1 /b'],
  ['?path=/a', '/a /a/b?c=1'],
  ['?path=c%3D1', '/a/b?c=1'],
  ['?contains=NEEDLE', '/a/b?c=1'],
  ['?contains=x-own:%20hay', '/a'],
  ['?contains=%00', ''],
  ['?status:gte=400', '/b'],
  ['?status:ne=404', '/a /a/b?c=1'],
  ['?method:in=GET,PUT', '/a'],
  ['?method:eq=POST&path:startsWith=/A', '/a/b?c=1'],
  ['?path:eq=/a&path:eq=/b', '/a /b'],
  ['?path=/A', ''],
  ['?client:startsWith=127.', '/a /a/b?c=1 /b'],
  ['?requestBody.size:gt=3', '/a/b?c=1'],
  ['?isCutOff=false', '/a /a/b?c=1 /b'],
  ['?isCutOff=true', ''],
  ['?receivedAt:gt=2020', '/a /a/b?c=1 /b'],
  ['?receivedAt:lt=2020', ''],
  ['?sort=path', '/a /a/b?c=1 /b'],
  ['?sort=-path', '/b /a/b?c=1 /a'],
  ['?sort=-status,path', '/b /a /a/b?c=1'],
  ['?sort=requestBody.size,-path', '/a/b?c=1 /b /a'],
  ['?sort=-path&per_page=1&page=2', '/a/b?c=1'],
  ['?sort=-status&method=GET', '/a'],
  ['?sort=-id', '/b /a/b?c=1 /a'],
  ['?status=200', '/a /a/b?c=1'],
  ['?status=4xx', '/b'],
  ['?status=', '/a /a/b?c=1 /b'],
  ['?sort=receivedAt', '/a /a/b?c=1 /b'],
  ['?sort=-receivedAt', '/b /a/b?c=1 /a'],
  ['?per_page=2', '/a /a/b?c=1'],
  ['?per_page=2&page=2', '/b'],
  ['?per_page=2&page=3', ''],
  ['?method=post&per_page=1&page=2&sort=-receivedAt', '/a/b?c=1'],
  ['?wait=0', '/a /a/b?c=1 /b'],
  ['?wait=1&method=GET', '/a'],
  ['?after=', '/a /a/b?c=1 /b'],
  ['?after={first}', '/a/b?c=1 /b'],
  ['?after={first}&sort=-receivedAt', '/b /a/b?c=1'],
]
for (const [query, paths] of lists) {
  test(`a list with ${query || 'no parameter'}`, async () => {
    const { bin, first } = await createFilledBin()
    const found = await bin.list(query.replace('{first}', first))
    assert.equal(found.map(({ path }) => path).join(' '), paths)
    const accept = 'application/x-ndjson'
    const lines = await bin.read(`/requests${query.replace('{first}', first)}`, {
      headers: { accept },
    })
    assert.equal(lines.body, found.map((one) => `${JSON.stringify(one)}\n`).join(''))
  })
}

test('a page of a list has the total, and links', async () => {
  const bin = await createBin(sharedApp())
  for (const path of ['/a', '/b', '/c']) await bin.send(path)
  const { headers } = await bin.read('/requests?per_page=1&page=2&path=/')
  assert.equal(headers['x-total-count'], '3')
  assert.match(String(headers.link), /<\/bins\/[^>]*page=3>; rel="next"/)
})

const badLists = [
  '?other=1',
  '?wait=61',
  '?wait=-1',
  '?wait=x',
  '?sort=requestFields',
  '?sort=toString',
  '?toString=1',
  '?status:gte=x',
  '?status:like=1',
  '?requestBody.text=a',
  '?status:contains=a&path:contains=' + 'x'.repeat(250),
  '?after=x',
  '?status=2',
  '?page=0',
]
const long = 'x'.repeat(251)
badLists.push(`?contains=${long}`, `?q=${long}`, `?path=${long}`, '?per_page=1001')
for (const query of [...badLists, '?method=a&method=b', '?path[a]=1']) {
  test(`a list and a removal with ${query.slice(0, 20)} are errors`, async () => {
    const { bin } = await createFilledBin()
    assert.equal((await bin.read(`/requests${query}`)).statusCode, 400)
    const removal = await bin.read(`/requests${query}`, { method: 'DELETE' })
    assert.equal(removal.statusCode, 400)
    assert.equal((await bin.list()).length, 3)
  })
}

const removals: [query: string, kept: string][] = [
  ['', ''],
  ['?path=/a', '/b'],
  ['?path=/a&method=POST', '/a /b'],
  ['?status=4xx', '/a /a/b?c=1'],
  ['?contains=needle', '/a /b'],
  ['?q=needle', '/a /b'],
  ['?status:gte=400', '/a /a/b?c=1'],
  ['?method:ne=GET', '/a'],
  ['?after={first}', '/a'],
  ['?path=/x', '/a /a/b?c=1 /b'],
]
for (const [query, kept] of removals) {
  test(`a removal with ${query || 'no parameter'} leaves ${kept || 'nothing'}`, async () => {
    const { bin, first } = await createFilledBin()
    const url = `/requests${query.replace('{first}', first)}`
    assert.equal((await bin.read(url, { method: 'DELETE' })).statusCode, 204)
    assert.equal((await bin.list()).map(({ path }) => path).join(' '), kept)
  })
}

for (const parameter of ['sort=receivedAt', 'page=1', 'per_page=1', 'wait=1']) {
  test(`a removal has no parameter ${parameter}`, async () => {
    const { bin } = await createFilledBin()
    const url = `/requests?path=/a&${parameter}`
    assert.equal((await bin.read(url, { method: 'DELETE' })).statusCode, 400)
    assert.equal((await bin.list()).length, 3)
  })
}
