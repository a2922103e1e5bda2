import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { openPostgresServer } from './postgres-server.ts'
import { projectFolder } from './start-vitrine.ts'

// Runs the given suites, and of all that `npm test` runs what requests records through the front door, with
// every database on a server of PostgreSQL that is thrown away. Pages, formats, rejected input and passwords do
// not depend on the database, and the two resources of the seed work as all resources do.
const same = [
  'access .*-pages? bin-responses data-responses definition documented errors fields .*flash form-keys',
  'forms inferred-required list-query list-types login.* map names password-.* patches query-method',
  'schema show upload-digests upload-names views',
]
const isSame = new RegExp(`/(${same.join(' ').replaceAll(' ', '|')})\\.test\\.ts$`)
const demos = ['sessions', 'uploads', 'bins'].map((name) => `src/demos/${name}`)
const parts = ['resources', 'data-file', 'test-api', 'idempotency'].map((name) => `src/${name}`)
const files = globSync(
  [...parts, ...demos].map((path) => `${path}/**/*.test.ts`),
  { cwd: projectFolder },
)
const suites = [...process.argv.slice(2), ...files.filter((path) => !isSame.test(path))]
// Three files at a time, some with services of several processes, each with ten connections.
const server = await openPostgresServer({ settings: { max_connections: '300' } })
const tests = spawn(
  process.execPath,
  ['--test', '--test-concurrency=3', '--import=./test/compile-cache.ts', ...suites],
  {
    cwd: projectFolder,
    env: { ...process.env, TEST_DATABASE_URL: server.url },
    stdio: 'inherit',
  },
)
await once(tests, 'exit')
await server.remove()
process.exitCode = tests.exitCode ?? 1
