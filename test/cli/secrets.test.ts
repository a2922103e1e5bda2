import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { failedStart } from '../support/failed-start.ts'
import { temporaryFolder } from '../support/start-vitrine.ts'

const bucket = { FILES_URL: 's3://glass?endpoint=http://127.0.0.1:1' }
const unreachable = { DATABASE_URL: 'postgres://ann:hunter2@127.0.0.1:1/glass' }

const rows: readonly [settings: Record<string, string>, ...flags: string[]][] = [
  [{ DATABASE_URL: 'hunter2' }],
  [{ DATABASE_URL: 'postgres:hunter2' }],
  [unreachable],
  [{ DATABASE_URL: 'postgres://ann:a/hunter2@127.0.0.1:1/glass' }],
  [{ DATABASE_URL: 'postgres://ann:a?hunter2@127.0.0.1:1/glass' }],
  [{ DATABASE_URL: 'postgres://ann:a@hunter2@127.0.0.1:1/glass' }],
  [{ DATABASE_URL: 'postgres://ann:%hunter2@127.0.0.1:1/glass' }],
  [{ DATABASE_URL: 'postgres://ann:hunter2@[::1/glass' }],
  [{ DATABASE_URL: 'postgres://127.0.0.1:1/glass?user=ann&password=hunter2' }],
  [{ DATABASE_URL: 'postgres://hunter2' }],
  [{ DATABASE_URL: 'postgres://ann:a@127.0.0.1:1/glass?sslrootcert=/hunter2' }],
  [{ DATABASE_URL: 'postgres://ann:a@/glass?host=/hunter2' }],
  [{ REDIS_URL: 'redis://hunter2', ...unreachable }],
  [{ REDIS_URL: 'hunter2' }],
  [{ REDIS_URL: 'redis:hunter2' }],
  [{ REDIS_URL: 'redis+ssh://ann:p@ss:hunter2@localhost/1' }],
  [{ REDIS_URL: 'redis://ann:12/hunter2@127.0.0.1' }],
  [{ FILES_URL: 's3:hunter2' }],
  [{ FILES_URL: 's3://ann:hunter2@glass' }],
  [{ FILES_URL: 's3://glass?endpoint=ftp://ann:hunter2@127.0.0.1' }],
  [{ ...bucket, AWS_ACCESS_KEY_ID: 'hunter2' }],
  [{ ...bucket, AWS_SECRET_ACCESS_KEY: 'hunter2' }],
  [{ ...bucket, ...unreachable, AWS_ACCESS_KEY_ID: 'hunter2', AWS_SECRET_ACCESS_KEY: 'hunter2' }],
  [
    {
      ...unreachable,
      FILES_URL: 's3://glass?endpoint=http://ann:hunter2@127.0.0.1:1',
      AWS_ACCESS_KEY_ID: 'hunter2',
      AWS_SECRET_ACCESS_KEY: 'hunter2',
    },
  ],
  [{ TLS_KEY: '-----BEGIN PRIVATE KEY-----\nhunter2' }],
  [{}, '--database-url=postgres:hunter2'],
  [{}, '--redis-url', 'redis:hunter2'],
  [{}, '--databse-url=hunter2'],
  [{}, '--databse-url', 'hunter2'],
  [{}, '-hunter2'],
  [{}, '--postgres://ann:hunter2@127.0.0.1/glass'],
  [{}, 'hunter2'],
  [{}, 'DATABASE_URL=postgres://ann:hunter2@127.0.0.1/glass'],
  [{}, 'reset', 'hunter2'],
  [unreachable, 'seed', '1'],
  [unreachable, 'backup', 'file'],
]

for (const [settings, ...flags] of rows) {
  test(`no secret is printed for ${JSON.stringify(settings)} ${flags.join(' ')}`, async (t) => {
    const { status, lines } = await failedStart(t, settings, flags)
    // 69 if the database cannot be reached.
    assert.ok(status === 2 || status === 69, String(status))
    assert.doesNotMatch(lines.join('\n'), /hunter2/)
    for (const line of lines) assert.match(line, /^vitrine: /)
  })
}

test('nothing of an invalid private key is printed', async (t) => {
  const path = join(await temporaryFolder(t), 'key.pem')
  await writeFile(path, '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n')
  const { status, lines } = await failedStart(t, { TLS_CERT: path, TLS_KEY: path })
  assert.equal(status, 2)
  assert.doesNotMatch(lines.join('\n'), /hunter2/)
})

test('--help shows defaults, and no value of the environment', async (t) => {
  const { lines } = await failedStart(t, { REDIS_URL: 'redis://:hunter2@127.0.0.1' }, ['--help'])
  assert.doesNotMatch(lines.join('\n'), /hunter2/)
})
