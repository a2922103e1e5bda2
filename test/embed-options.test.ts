import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from '../src/embed.ts'
import './support/with-test-demos.js'

test('an error names all invalid settings', async () => {
  const settings = {
    MAX_BODY_BYTES: 'many',
    PORTS: '1',
    ADMIN_PORT: '0',
    REDIRECT_HTTP_PORT: '80',
    LOG_LEVEL: 'loud',
  }
  await assert.rejects(buildApp({ settings }), (error: Error) => {
    for (const name of Object.keys(settings))
      assert.match(error.message, new RegExp(`\\b${name}\\b`))
    return true
  })
})

test('data that is no object is an error', async () => {
  await assert.rejects(buildApp({ data: [1] }), /data: \/ must be an object/)
})

test('invalid data are an error with every path, without the temporary folder', async () => {
  const data = { posts: [{ id: 1, '': 2 }], 'a/b': [] }
  await assert.rejects(buildApp({ data }), (error: Error) => {
    const [first, second, ...others] = error.message.split('\n')
    assert.equal(first, 'data: /posts has a field without a name')
    assert.match(String(second), /^data: \/a\/b cannot be the segment of a path/)
    assert.deepEqual(others, [])
    return true
  })
})

test('settings that apply only to a separate process are rejected by name', async (t) => {
  for (const name of ['ADMIN_HOST', 'ADMIN_PORT', 'REDIRECT_HTTP_PORT']) {
    await t.test(name, async () => {
      await assert.rejects(buildApp({ settings: { [name]: '2' } }), new RegExp(name))
    })
  }
})

const misspelt: [options: object, message: RegExp][] = [
  [{ dta: {} }, /^unknown option dta: the options are settings, data, schema, dialect, responses$/],
  [{ settings: { PROT: '1' } }, /unknown setting PROT: did you mean PORT\?/],
  [
    { settings: { MAX_BODY_BYTE: '1' } },
    /^unknown setting MAX_BODY_BYTE: did you mean MAX_BODY_BYTES\?$/,
  ],
  [{ settings: { MAX_BODY: '1' } }, /^unknown setting MAX_BODY: did you mean MAX_BODY_BYTES\?$/],
  [
    { settings: { SESSION_IDLE: '1' } },
    /^unknown setting SESSION_IDLE: did you mean SESSION_IDLE_SECONDS\?$/,
  ],
  ...['maxBodyBytes', 'max_body_bytes', 'max-body-bytes', 'maxBodyByte', 'MaxBodyBytes'].map(
    (name): [object, RegExp] => [
      { settings: { [name]: '1' } },
      new RegExp(`^unknown setting ${name}: did you mean MAX_BODY_BYTES\\?$`),
    ],
  ),
  [{ settings: { DELAY: '1' } }, /unknown setting DELAY: did you mean DELAY_MS\?/],
]
for (const [options, message] of misspelt) {
  test(`buildApp(${JSON.stringify(options)}) is an error`, async () => {
    await assert.rejects(buildApp(options), { message })
  })
}
