import fc from 'fast-check'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { codePoints } from '../../../test/support/code-points.ts'
import { useApp } from '../../../test/support/test-app.ts'
import { useUploads } from '../../../test/support/uploads.ts'
import { parsePartHead } from './part-head.ts'
import { readParts } from './read-parts.ts'

const bodies = useApp({ settings: { DEMOS: 'bodies' } })
const uploads = useUploads()

const disposition = 'Content-Disposition: form-data; name="a"'
const after = `${disposition}\r\n\r\n`
const end = '\r\n--XX--\r\n'

const rows: readonly [what: string, body: string, expected: unknown][] = [
  [
    'a line that begins with the boundary',
    `--XX\r\n${after}1\r\n--XXY\r\n2${end}`,
    '1\r\n--XXY\r\n2',
  ],
  ['a longer last boundary', `--XX\r\n${after}1\r\n--XX--Y\r\n2${end}`, '1\r\n--XX--Y\r\n2'],
  ['one dash after the boundary', `--XX\r\n${after}1\r\n--XX-\r\n2${end}`, '1\r\n--XX-\r\n2'],
  ['almost the boundary', `--XX\r\n${after}\r\r\n--X\r\n-XX${end}`, '\r\r\n--X\r\n-XX'],
  ['padding after the boundary', `--XX \t\r\n${after}1\r\n--XX-- \t\r\n`, '1'],
  ['no line end after the last boundary', `--XX\r\n${after}1\r\n--XX--`, '1'],
  ['a preamble and an epilogue', `pre --XX\r\n--XX\r\n${after}1${end}epilogue`, '1'],
  ['no content', `--XX\r\n${after}${end}`, ''],
  ['no blank line before no content', `--XX\r\n${disposition}\r\n${end}`, ''],
  ['a folded header', `--XX\r\n${after.replace('; ', ';\r\n\t')}1${end}`, '1'],
  ['another header', `--XX\r\nX-Custom: y\r\n${after}1${end}`, '1'],
  [
    'a lower-case header without a space',
    `--XX\r\n${after.toLowerCase().replace(': ', ':')}1${end}`,
    '1',
  ],
  ['a name without quotes', `--XX\r\n${after.replace('"a"', 'a')}1${end}`, '1'],
  ['text after the boundary', `--XX\r\n${after}1\r\n--XX 2\r\n3${end}`, 400],
  ['text after the last boundary', `--XX\r\n${after}1\r\n--XX-- 2\r\n3`, 400],
  ['a part after the last boundary', `--XX\r\n${after}1${end}--XX\r\n${after}2${end}`, 400],
  ['no Content-Disposition', `--XX\r\nContent-Type: text/plain\r\n\r\n1${end}`, 400],
  ['no header', `--XX\r\n\r\n1${end}`, 400],
  ['two Content-Dispositions', `--XX\r\n${disposition}\r\n${after}1${end}`, 400],
  ['two names', `--XX\r\n${disposition}; name="b"\r\n\r\n1${end}`, 400],
  ['an empty name', `--XX\r\n${after.replace('"a"', '""')}1${end}`, 400],
  ['an extended name', `--XX\r\n${after.replace('name="a"', "name*=UTF-8''a")}1${end}`, 400],
  ['an open quote', `--XX\r\n${after.replace('"a"', '"a')}1${end}`, 400],
  ['text after a quote', `--XX\r\n${after.replace('"a"', '"a"b')}1${end}`, 400],
  ['another disposition', `--XX\r\n${after.replace('form-data', 'attachment')}1${end}`, 400],
  ['a header without a colon', `--XX\r\nX-Custom\r\n${after}1${end}`, 400],
  ['a space before a colon', `--XX\r\nX-Custom : y\r\n${after}1${end}`, 400],
  ['a header without a name', `--XX\r\n: y\r\n${after}1${end}`, 400],
  ['U+0000 in a header', `--XX\r\nX: \0\r\n${after}1${end}`, 400],
  ['CR in a header', `--XX\r\nX: a\rb\r\n${after}1${end}`, 400],
  ['lines that end with LF', `--XX\r\n${after}1${end}`.replaceAll('\r', ''), 400],
  ['one delimiter that ends with LF', `--XX\r\n${after}1\r\n--XX\n${after}2${end}`, 400],
  ['padding without end', `--XX${' '.repeat(2000)}\r\n${after}1${end}`, 400],
  ['no last boundary', `--XX\r\n${after}1\r\n`, 400],
  ['an end in the last boundary', `--XX\r\n${after}1\r\n--XX-`, 400],
  ['an end in the headers', `--XX\r\n${disposition}\r\n`, 400],
]

for (const [what, body, expected] of rows) {
  test(`a multipart body with ${what} is read whole or gets 400`, async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=XX' }
    const request = { method: 'POST', url: '/users/post/formdata', headers, payload: body } as const
    const { statusCode, body: text } = await bodies().inject(request)
    if (expected === 400) assert.equal(statusCode, 400, text)
    else assert.deepEqual([statusCode, JSON.parse(text)], [200, { a: expected }])
  })

  test(`with ${what}, it does not matter where a multipart body is split`, async () => {
    const bytes = Buffer.from(body)
    const whole = await read([bytes])
    assert.equal(typeof whole, expected === 400 ? 'string' : 'object')
    for (let at = 1; at < bytes.length; at += 1) {
      assert.deepEqual(await read([bytes.subarray(0, at), bytes.subarray(at)]), whole, String(at))
    }
    assert.deepEqual(await read([...bytes].map((byte) => Buffer.from([byte]))), whole)
  })
}

/** The parts, or the message of the error. */
async function read(chunks: readonly Buffer[], boundary = 'XX') {
  try {
    const parts = []
    for await (const { head, content } of readParts(toAsync(chunks), boundary)) {
      const { name, fileName } = parsePartHead(head)
      const bytes = (await buffer(content)).toString('latin1')
      parts.push({ name, fileName, bytes })
    }
    return parts
  } catch (error) {
    return error instanceof Error ? error.message : assert.fail()
  }
}

async function* toAsync(chunks: readonly Buffer[]) {
  yield* chunks
}

const likely = fc.constantFrom(
  '\r',
  '\n',
  '\r\n',
  '-',
  '--',
  '--X',
  '--XX',
  '\r\n--X',
  ' ',
  'X',
  'Y',
)
const content = fc
  .array(fc.oneof(likely, fc.string({ unit: codePoints, maxLength: 5 })), { maxLength: 12 })
  .map((pieces) => pieces.join(''))
  .filter(
    (text) =>
      !/(?:^|\r\n)--XX(?![\w'()+,./:=?-])|(?:^|\r\n)--XX--?$|(?:^|\r\n)--XX--(?![\w'()+,./:=?-])/.test(
        text,
      ),
  )
const name = fc
  .string({ minLength: 1, maxLength: 10 })
  .filter((text) => !/%(22|0[ad])|\\/i.test(text))
const part = fc.record({ name, fileName: fc.option(name, { nil: undefined }), content })

test('the parts that were encoded are read, wherever the body is split', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 4 }), sizes, async (parts, [...chunkSizes]) => {
      const encoded = parts.map(({ name, fileName, content }) => {
        const file = fileName === undefined ? '' : `; filename="${escape(fileName)}"`
        return `--XX\r\nContent-Disposition: form-data; name="${escape(name)}"${file}\r\n\r\n${content}\r\n`
      })
      const bytes = Buffer.from(`${encoded.join('')}--XX--\r\n`)
      const expected = parts.map(({ name, fileName, content }) => ({
        name,
        fileName,
        bytes: Buffer.from(content).toString('latin1'),
      }))
      assert.deepEqual(await read(split(bytes, chunkSizes)), expected)
    }),
    { numRuns: 1000 },
  )
})

/** As browsers do. */
function escape(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function split(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks = []
  for (let [at, index] = [0, 0]; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

test('any bytes are read or get 400', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(likely, fc.constantFrom(after, end, 'XX', ':'))),
      async (pieces) => {
        const chunks = pieces.map((piece) => Buffer.from(piece))
        assert.deepEqual(await read(chunks), await read([Buffer.concat(chunks)]))
      },
    ),
    { numRuns: 1000 },
  )
})

test('a file with a line that begins with the boundary is stored whole', async () => {
  const { app } = uploads()
  const file = Buffer.concat([
    randomBytes(100_000),
    Buffer.from('\r\n--XXY\r\n'),
    randomBytes(100_000),
  ])
  const head = '--XX\r\nContent-Disposition: form-data; name="upfiles"; filename="f"\r\n\r\n'
  const payload = Buffer.concat([Buffer.from(head), file, Buffer.from(end)])
  const headers = { 'content-type': 'multipart/form-data; boundary=XX', accept: 'application/json' }
  const response = await app.inject({ method: 'POST', url: '/profile', headers, payload })
  assert.equal(response.statusCode, 200, response.body)
  const { rawPayload } = await app.inject(String(response.headers.location))
  assert.ok(rawPayload.equals(file))
})

const fileNames: readonly [parameter: string, expected: string | number][] = [
  ['filename="a%22b.txt"', 'a"b.txt'],
  [String.raw`filename="a\"b.txt"`, 'a"b.txt'],
  ["filename=a.txt; filename*=UTF-8''na%C3%AFve.txt", 'naïve.txt'],
  ["filename*=utf-8'en'%e2%82%ac.txt", '€.txt'],
  ["filename*=iso-8859-1''%E9.txt", 400],
  ["filename*=UTF-8''%FF.txt", 400],
  ['filename="a.txt"; filename="b.txt"', 400],
  ['filename="caf\xe9.txt"', 400],
]
for (const [parameter, expected] of fileNames) {
  test(`a part with ${parameter} is stored as ${String(expected)}`, async () => {
    const { app } = uploads()
    const head = `--XX\r\nContent-Disposition: form-data; name="upfiles"; ${parameter}\r\n\r\n`
    const payload = Buffer.from(`${head}1${end}`, 'latin1')
    const headers = {
      'content-type': 'multipart/form-data; boundary=XX',
      accept: 'application/json',
    }
    const response = await app.inject({ method: 'POST', url: '/profile', headers, payload })
    if (expected === 400) assert.equal(response.statusCode, 400, response.body)
    else assert.equal(response.json<{ name: string }>().name, expected)
  })
}
