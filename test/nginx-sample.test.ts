import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { publicDefaults } from '../src/config/settings.ts'
import { makeCertificate } from './support/tls-client.ts'
import { withoutNginx, writeNginxFiles } from './support/nginx.ts'
import { projectFolder, temporaryFolder } from './support/start-vitrine.ts'

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8')
const [, sample = ''] = /```nginx\n([^]*?)```/.exec(read('docs/operating.md')) ?? []

for (const [name, text] of [
  ['the sample in docs/operating.md', sample],
  ['deploy/nginx.conf', read('deploy/nginx.conf')],
] as const) {
  test(`${name} has the limits of connections that Vitrine cannot apply`, () => {
    const { headersSeconds, bodyIdleSeconds, maxConnectionsPerClient } = publicDefaults
    for (const directive of [
      `client_header_timeout ${String(headersSeconds)}s;`,
      `client_body_timeout ${String(bodyIdleSeconds)}s;`,
      `limit_conn clients ${String(maxConnectionsPerClient)};`,
      'server_tokens off;',
    ])
      assert.ok(text.includes(directive), directive)
  })
}

test('the sample does not compress where nginx.conf has gzip on, as that of Debian', () => {
  assert.match(sample, /^ {2}gzip off;$/m)
})

const [, protectedLocations = ''] =
  /### A password for all visitors[^]*?```nginx\n([^]*?)```/.exec(read('docs/operating.md')) ?? []
const withPassword = sample.replace(
  '  location / {\n    proxy_pass http://vitrine;\n  }\n',
  protectedLocations,
)
assert.match(withPassword, /auth_basic_user_file/)

for (const [name, configuration] of Object.entries({ sample, withPassword })) {
  test(`nginx accepts docs/operating.md: ${name}`, { skip: withoutNginx }, async (t) => {
    const { program } = await writeNginxFiles(t)
    const { TLS_CERT, TLS_KEY } = await makeCertificate(t)
    const folder = await temporaryFolder(t)
    const file = join(folder, 'nginx.conf')
    const filled = configuration
      .replace('/etc/ssl/vitrine.pem', TLS_CERT)
      .replace('/etc/ssl/private/vitrine.key', TLS_KEY)
      .replace('/var/log/nginx', folder)
    await writeFile(file, `pid ${folder}/pid; events {} http {\n${filled}}\n`)
    const { stderr } = await promisify(execFile)(program, ['-t', '-c', file])
    assert.match(stderr, /test is successful/)
  })
}
