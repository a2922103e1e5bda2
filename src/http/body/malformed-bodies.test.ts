import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirror } from '../../../test/support/mirror.ts'
import { sendToMirror } from '../../../test/support/mirrored-body.ts'
import { useApp } from '../../../test/support/test-app.ts'

const formType = 'application/x-www-form-urlencoded'
const mirrored = useApp({ demos: [mirror] })

test('bytes that are not UTF-8 get 400', async (t) => {
  const app = mirrored()
  const bytes = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]
  for (const wrong of bytes.map((numbers) => Buffer.from(numbers))) {
    const quoted = Buffer.concat([Buffer.from('"'), wrong, Buffer.from('"')])
    assert.deepEqual(await sendToMirror(app, 'application/json', quoted), [400, undefined])
    assert.deepEqual(await sendToMirror(app, 'text/plain', wrong), [400, undefined])
    const value = Buffer.concat([Buffer.from('a='), wrong])
    assert.deepEqual(await sendToMirror(app, formType, value), [400, undefined])
  }
  for (const wrong of ['a=%ff', 'a=%C3', '%C0%80=1', 'a=%ED%A0%80']) {
    await t.test(wrong, async () => {
      assert.deepEqual(
        [wrong, ...(await sendToMirror(app, formType, wrong))],
        [wrong, 400, undefined],
      )
    })
  }
})

test('many brackets side by side, or in a string, are not nesting', async () => {
  const app = mirrored()
  const values = [Array.from({ length: 100 }, () => []), { text: '[{'.repeat(100) }]
  for (const value of values) {
    const text = JSON.stringify(value)
    assert.deepEqual(await sendToMirror(app, 'application/json', text), [200, text])
  }
})

test('JSON may be nested 64 levels deep and no deeper', async (t) => {
  const app = mirrored()
  const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
  const mixed = (depth: number) => '[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2)
  const rows: [status: number, body: string][] = [
    [200, lists(64)],
    [400, lists(65)],
    [200, objects(64)],
    [400, objects(65)],
    [200, mixed(64)],
    [400, mixed(66)],
    [400, '['.repeat(500_000)],
    [200, JSON.stringify('['.repeat(1000))],
    [200, JSON.stringify({ ['{'.repeat(1000)]: ']'.repeat(1000) })],
    [200, JSON.stringify(['\\"[', '\\\\', '['.repeat(100)])],
    [400, `["\\\\",${lists(65)}]`],
    [400, `["]]]]]",${lists(64)}]`],
    [200, `[${Array.from({ length: 100 }, () => lists(63)).join()}]`],
  ]
  for (const [expected, body] of rows) {
    await t.test(body.slice(0, 60), async () => {
      const [status] = await sendToMirror(app, 'application/json', body)
      assert.deepEqual([body.slice(0, 80), status], [body.slice(0, 80), expected])
    })
  }
})

test('keys that could change a prototype are rejected, and no prototype is changed', async (t) => {
  const app = mirrored()
  const bodies = [
    '{"__proto__":{"polluted":1}}',
    '{"__proto__":null}',
    '{"a":[{"__proto__":{"polluted":1}}]}',
    String.raw`{"\u005f\u005fproto__":{"polluted":1}}`,
    String.raw`{"__pr\u006fto__":{"polluted":1}}`,
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"a":{"constructor":{"prototype":{"polluted":1}}}}',
    String.raw`{"c\u006fnstructor":{"prototype":{"polluted":1}}}`,
  ]
  for (const body of bodies) {
    await t.test(body.slice(0, 60), async () => {
      assert.deepEqual(
        [body, ...(await sendToMirror(app, 'application/json', body))],
        [body, 400, undefined],
      )
      assert.equal('polluted' in {}, false)
    })
  }
})

test('JSON that is not valid gets an error of syntax, whatever it quotes', async (t) => {
  const app = mirrored()
  for (const payload of ['prototype', '{"a":prototype}']) {
    await t.test(payload, async () => {
      const headers = { 'content-type': 'application/json' }
      const { body } = await app.inject({ method: 'POST', url: '/mirror', headers, payload })
      assert.match(body, /The body is not valid JSON/)
    })
  }
})

test('harmless keys that resemble those of a prototype are accepted', async (t) => {
  const app = mirrored()
  const bodies = ['{"constructor":"x"}', '{"constructor":null}', '{"prototype":1}', '{"proto":1}']
  for (const body of [...bodies, '{"a":"__proto__"}', '{"toString":1,"hasOwnProperty":2}']) {
    await t.test(body.slice(0, 60), async () => {
      assert.deepEqual(await sendToMirror(app, 'application/json', body), [200, body])
    })
  }
})

test('no key of a form changes a prototype', async (t) => {
  const app = mirrored()
  const nested = ['a[__proto__][polluted]=1', 'constructor[prototype][polluted]=1']
  for (const body of ['__proto__[polluted]=1', '__proto__.polluted=1', ...nested]) {
    await t.test(body.slice(0, 60), async () => {
      await sendToMirror(app, formType, body)
      assert.equal('polluted' in {}, false)
    })
  }
})

test('invalid JSON with the media type of JSON gets 400', async () => {
  const app = mirrored()
  const bodies = ['{', '}', ']', '{"a":1,}', "{'a':1}", 'a=1', 'undefined', 'NaN', '1 2', ' ', '"']
  for (const body of bodies) {
    for (const type of ['application/json', 'a/b+json', undefined]) {
      assert.deepEqual([body, ...(await sendToMirror(app, type, body))], [body, 400, undefined])
    }
  }
})

for (const parameter of [
  'charset=',
  'charset=""',
  "charset='utf-8'",
  'charset = UTF8',
  'charset',
  '',
]) {
  test(`JSON with the parameter "${parameter}" is read`, async () => {
    const app = mirrored()
    const headers = { 'content-type': `application/json; ${parameter}` }
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: '/mirror/field',
      headers,
      payload: '{"a":"brass"}',
    })
    assert.deepEqual([statusCode, body], [200, 'brass'])
  })
}
