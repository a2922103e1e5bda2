import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/config.ts'
import { failedStart } from '../support/failed-start.ts'
import { words } from '../support/words.ts'

test('every invalid setting has its own line and the exit status is 2', async (t) => {
  const { status, lines } = await failedStart(t, {
    PORT: '70000',
    DATABASE_URL: 'mysql://localhost',
    REDIS_URL: 'http://localhost',
    FILES_URL: 'ftp://localhost',
    DEMOS: 'users,attic',
    PUBLIC_DIR: '/nowhere/at/all',
    MAX_BODY_BYTES: '1e3',
    METHOD_OVERRIDE: 'maybe',
    BODY_READERS: 'json,xml',
    CORS_ORIGINS: 'example.org',
    LOG_LEVEL: 'loud',
  })
  assert.equal(status, 2)
  assert.deepEqual(
    lines.map((line) => /^vitrine: ([A-Z_]+) must/.exec(line)?.[1]).toSorted(),
    words`
    BODY_READERS CORS_ORIGINS DATABASE_URL DEMOS FILES_URL LOG_LEVEL MAX_BODY_BYTES METHOD_OVERRIDE
    PORT PUBLIC_DIR REDIS_URL
  `,
  )
})

test('a bucket without its key is an invalid setting, and no password in a URL is printed', async (t) => {
  const FILES_URL = 's3://bucket/some/files?endpoint=http://127.0.0.1:9000&region=eu-1'
  const REDIS_URL = 'redis+ssh://ann:p@ss:word@localhost/1'
  const { status, lines } = await failedStart(t, { FILES_URL, AWS_ACCESS_KEY_ID: 'key', REDIS_URL })
  assert.equal(status, 2)
  assert.deepEqual(lines, [
    'vitrine: REDIS_URL must be redis://host:port, or rediss://host:port for TLS, with a percent-encoded password',
    'vitrine: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set for FILES_URL',
  ])
})

test('valid and invalid URLs of a bucket and of Redis', async (t) => {
  const key = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
  const cases: [name: 'FILES_URL' | 'REDIS_URL', text: string, isOne: boolean][] = [
    ['FILES_URL', 's3://glass', true],
    ['FILES_URL', 's3://glass.example/some/files/', true],
    ['FILES_URL', 's3://glass/a_b?region=eu-1&endpoint=https://s3.example:9000/base', true],
    ['FILES_URL', 's3://', false],
    ['FILES_URL', 's3://Glass', false],
    ['FILES_URL', 's3://ab', false],
    ['FILES_URL', 's3://glass/a&b', false],
    ['FILES_URL', 's3://glass//a', false],
    ['FILES_URL', 's3://glass?endpoint=ftp://s3.example', false],
    ['FILES_URL', 's3://glass?endpoint=s3.example', false],
    ['FILES_URL', 's3://glass?region=a/b', false],
    ['REDIS_URL', 'redis://localhost', true],
    ['REDIS_URL', 'rediss://ann:secret@redis.example:6380/2', true],
    ['REDIS_URL', 'valkeys://[::1]:6379', true],
    ['REDIS_URL', 'redis:localhost', false],
    ['REDIS_URL', 'localhost:6379', false],
    ['REDIS_URL', 'http://localhost', false],
  ]
  for (const [name, text, isOne] of cases) {
    await t.test(`${name} ${text}`, () => {
      const load = () => loadConfig({ ...key, [name]: text }, ['users'])
      if (isOne) assert.doesNotThrow(load, text)
      else assert.throws(load, { message: new RegExp(`^${name} must be `) }, text)
    })
  }
})

test('every unknown or incomplete option has its own line and the exit status is 2', async (t) => {
  const { status, lines } = await failedStart(t, {}, ['--prot', '80', '--port'])
  assert.equal(status, 2)
  assert.deepEqual(lines, [
    'vitrine: unknown flag --prot; did you mean --port? See --help',
    'vitrine: --port requires a value',
  ])
})

test('an invalid TRUSTED_PROXIES is the only problem that is printed', async (t) => {
  const { status, lines } = await failedStart(t, { TRUSTED_PROXIES: 'proxy' })
  assert.equal(status, 2)
  assert.match(lines.join('\n'), /^vitrine: TRUSTED_PROXIES must be .*; it is "proxy"$/)
})

test('ADMIN_PORT cannot be PORT, unless both are free ports', async (t) => {
  const { status, lines } = await failedStart(t, { PORT: '9090', ADMIN_PORT: '9090' })
  assert.equal(status, 2)
  assert.deepEqual(lines, ['vitrine: ADMIN_PORT must not be the same as PORT'])
  assert.doesNotThrow(() => loadConfig({ PORT: '0', ADMIN_PORT: '0' }, ['users']))
})

test('an option overrides the environment', async (t) => {
  const { status, lines } = await failedStart(t, { PORT: '80' }, ['--port=nought'])
  assert.equal(status, 2)
  assert.deepEqual(lines, ['vitrine: PORT must be a whole number from 0 to 65535; it is "nought"'])
})
