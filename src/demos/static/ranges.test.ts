import assert from 'node:assert/strict'
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { lastModified, openFolder } from '../../../test/support/static-folder.ts'
import { testApp } from '../../../test/support/test-app.ts'

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
