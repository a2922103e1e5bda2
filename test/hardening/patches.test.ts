import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRaw, useWatched, toRequest } from '../support/watched-vitrine.ts'

const jsonPatch = 'application/json-patch+json'
const mergePatch = 'application/merge-patch+json'

const ones = Array.from({ length: 500 }, () => 1)
const twos = ones.map(() => 2)
const many = Array.from({ length: 20_000 }, (_, index) => index)
const times = (length: number, toOperation: (index: number) => object) =>
  Array.from({ length }, (_, index) => toOperation(index))
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

const rows: readonly [title: string, status: number, type: string, body: string][] = [
  [
    'a test of a list with another list',
    409,
    jsonPatch,
    JSON.stringify([
      { op: 'add', path: '/a', value: ones },
      { op: 'test', path: '/a', value: twos },
    ]),
  ],
  [
    'a test of a long list with another long list',
    409,
    jsonPatch,
    JSON.stringify([
      { op: 'add', path: '/a', value: many },
      { op: 'test', path: '/a', value: many.toReversed() },
    ]),
  ],
  [
    '99 copies of a long text',
    413,
    jsonPatch,
    JSON.stringify([
      { op: 'add', path: '/a', value: 'x'.repeat(900_000) },
      ...times(99, (index) => ({ op: 'copy', from: '/a', path: `/b${String(index)}` })),
    ]),
  ],
  [
    'a list that is copied into itself again and again',
    413,
    jsonPatch,
    JSON.stringify([
      { op: 'add', path: '/a', value: [1] },
      ...times(99, () => ({ op: 'copy', from: '/a', path: '/a/-' })),
    ]),
  ],
  [
    'a record that is copied into itself again and again',
    413,
    jsonPatch,
    JSON.stringify(times(100, (index) => ({ op: 'copy', from: '', path: `/c${String(index)}` }))),
  ],
  [
    'a hundred objects inside each other',
    400,
    jsonPatch,
    JSON.stringify(times(100, (index) => ({ op: 'add', path: '/a'.repeat(index + 1), value: {} }))),
  ],
  [
    'a path of half a million names',
    409,
    jsonPatch,
    JSON.stringify([{ op: 'add', path: '/a'.repeat(500_000), value: 1 }]),
  ],
  [
    'a value that is nested too deeply',
    400,
    jsonPatch,
    `[{"op":"add","path":"/a","value":${nested(17_500)}}]`,
  ],
  ['a merge patch that is nested too deeply', 400, mergePatch, `{"a":${nested(17_500)}}`],
  [
    'a merge patch of many names',
    200,
    mergePatch,
    JSON.stringify(Object.fromEntries(many.map((index) => [`n${String(index)}`, { a: null }]))),
  ],
]

const watched = useWatched({ NODE_OPTIONS: '--max-old-space-size=64' })

for (const [index, [title, status, type, body]] of rows.entries()) {
  test(`${title}: ${String(status)}, with 64 MB of memory`, { timeout: 300_000 }, async () => {
    const { origin, assertSound } = watched()
    const path = `/places/${String(index)}`
    const send = async (method: string, mediaType: string, content: string) =>
      sendRaw(
        origin,
        toRequest(
          `${method} ${path} HTTP/1.1`,
          [
            'Host: x',
            'Connection: close',
            `Content-Type: ${mediaType}`,
            `Content-Length: ${String(content.length)}`,
          ],
          content,
        ),
      )
    const created = await send('PUT', 'application/json', '{"name":"One"}')
    assert.deepEqual(created.statuses, [201])
    const { statuses, text } = await send('PATCH', type, body)
    assert.deepEqual(statuses, [status], text.slice(0, 1000))
    assert.ok(text.length < 2000, 'the response is short')
    await assertSound()
  })
}
