import { openPostgresServer } from './postgres-server.ts'
import { findFiles, runFiles } from './run-tests.ts'

// Runs the given suites, and of all that `npm test` runs what requests records through the front door, with
// every database on a server of PostgreSQL that is thrown away. Pages, formats, rejected input and passwords do
// not depend on the database, and the two resources of the seed work as all resources do.
const same = [
  'access .*-pages? bin-responses boolean-schemas coded-forms data-responses definition documented edit-form',
  'errors examples fields .*flash form-keys form-members forms inferred-schema list-query list-types login.*',
  'map names openapi-names password-.* patches query-method schema schema-problems show slow-schemas',
  'upload-digests upload-names views',
]
const isSame = new RegExp(`/(${same.join(' ').replaceAll(' ', '|')})\\.test\\.ts$`)
const demos = ['sessions', 'uploads', 'bins'].map((name) => `src/demos/${name}`)
const parts = ['resources', 'data-file', 'test-api', 'idempotency'].map((name) => `src/${name}`)
const files = findFiles([...parts, ...demos].map((path) => `${path}/**/*.test.ts`))
const suites = [
  // They take longest, and begin first.
  ...findFiles(process.argv.slice(2)),
  ...files.filter((path) => !isSame.test(path)),
]
// Three files at a time, some with services of several processes, each with ten connections.
const server = await openPostgresServer({ settings: { max_connections: '300' } })
process.env.TEST_DATABASE_URL = server.url
await runFiles(suites)
await server.remove()
