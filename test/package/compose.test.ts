import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/config.ts'
import { settingNames, toEnvironmentName } from '../../src/config/settings.ts'
import { withoutNginx, writeNginxFiles } from '../support/nginx.ts'
import { projectFolder, temporaryFolder } from '../support/start-vitrine.ts'
import { imageEnvironment, readProjectFile } from './dockerfile.ts'

interface Service {
  /** That of Vitrine is built. */
  image?: string
  build?: string
  user?: string
  read_only: boolean
  cap_drop: string[]
  security_opt: string[]
  environment?: Record<string, string>
  volumes?: string[]
  ports?: string[]
  networks: string[] | Record<string, { ipv4_address: string } | null>
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  stop_grace_period?: string
}

const run = promisify(execFile)
const text = readProjectFile('compose.yaml')
const { services, networks } = parse(text, { merge: true }) as {
  services: Record<'proxy' | 'vitrine-1' | 'vitrine-2' | 'postgres' | 'valkey' | 'garage', Service>
  networks: Record<string, { internal?: boolean }>
}
const nginx = readProjectFile('deploy/nginx.conf')
const { 'vitrine-1': vitrine, 'vitrine-2': other, proxy, garage } = services
const settings = vitrine.environment ?? {}

/** Whatever is not by the schema of Compose, or an error by the rules of the linter. */
async function lint(file: string): Promise<string> {
  const dclint = fileURLToPath(new URL('../bin/dclint.cjs', import.meta.resolve('dclint')))
  return run(process.execPath, [dclint, '--quiet', '--formatter', 'compact', file]).then(
    () => '',
    (error: unknown) => (error as { stdout?: string }).stdout || String(error),
  )
}

test('compose.yaml is valid', async (t) => {
  assert.equal(await lint(join(projectFolder, 'compose.yaml')), '')
  const wrong = join(await temporaryFolder(t), 'compose.yaml')
  await writeFile(wrong, text.replace('stop_grace_period', 'stop_grace_time'))
  assert.match(await lint(wrong), /invalid-schema/)
})

test('every service has restricted privileges, a pinned image and a health check', () => {
  for (const [name, service] of Object.entries(services)) {
    const { read_only, cap_drop, security_opt } = service
    assert.deepEqual(
      { read_only, cap_drop, security_opt },
      { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      name,
    )
    if (service.build === undefined) {
      assert.match(service.image ?? '', /:v?\d/, name)
      // The built image has its own.
      assert.ok(service.healthcheck, name)
    }
    for (const { condition } of Object.values(service.depends_on ?? {})) {
      assert.equal(condition, 'service_healthy')
    }
  }
})

test('only the proxy is published, and it forwards to the port of Vitrine', () => {
  const published = Object.entries(services).filter(([, { ports }]) => ports)
  const names = published.map(([name]) => name)
  assert.deepEqual(names, ['proxy'])
  for (const [name, { internal }] of Object.entries(networks)) {
    assert.equal(internal ?? false, name !== 'edge', name)
  }
  const [, listens = ''] = /listen (\d+);/.exec(nginx) ?? []
  assert.deepEqual(proxy.ports, [`127.0.0.1:${listens}:${listens}`])
  assert.ok(proxy.healthcheck?.test.at(-1)?.includes(`:${listens}/`))
  const servers = [vitrine, other].map(({ networks: its }) => {
    const address = Array.isArray(its) ? undefined : its.front?.ipv4_address
    return `${address ?? ''}:${imageEnvironment.PORT ?? ''}`
  })
  const upstream = readProjectFile('deploy/upstream.conf')
  const listedServers = [...upstream.matchAll(/^ *server ([^\s;]+)/gm)].map(([, server]) => server)
  assert.deepEqual(listedServers, servers)
})

test('both replicas have valid settings, the public preset, and time to stop', () => {
  const known = settingNames.map(toEnvironmentName)
  const unexpected = Object.keys(settings).filter((name) => !known.includes(name))
  assert.deepEqual(unexpected, [])
  const filled = Object.entries({ ...imageEnvironment, ...settings }).map(([name, value]) => [
    name,
    value.replace(/\$\{\w+:\?.*?\}/g, 'secret'),
  ])
  const config = loadConfig(Object.fromEntries(filled) as Record<string, string>, ['topic'])
  assert.equal(config.preset, 'public')
  assert.deepEqual({ ...other, networks: vitrine.networks }, vitrine)
  // README: requests in flight have ten seconds after the drain.
  assert.ok(config.drainSeconds > 0)
  assert.ok(parseInt(vitrine.stop_grace_period ?? '', 10) > config.drainSeconds + 10)
})

test('only the proxy is trusted', () => {
  assert.ok(!Array.isArray(proxy.networks))
  assert.equal(settings.TRUSTED_PROXIES, proxy.networks.front?.ipv4_address)
  assert.match(nginx, /X-Forwarded-For \$remote_addr;/)
  assert.match(nginx, /X-Request-Id \$request_id;/)
  assert.match(nginx, /log_format vitrine '\$remote_addr .*\$request_id'/)
})

test('no secret is in the file, and a start without secrets fails with their names', () => {
  const named = Object.values(services).flatMap(({ environment }) =>
    Object.entries(environment ?? {}),
  )
  const secrets = named.filter(([name]) => /PASS|SECRET|KEY|AUTH|FLAGS/.test(name))
  assert.ok(secrets.length > 5)
  for (const [name, value] of secrets) {
    if (name !== 'POSTGRES_INITDB_ARGS') assert.match(value, /\$\{\w+:\?/, name)
  }
  const sent = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name))
  const made = [...text.matchAll(/"(\w+)=.*?\$\(openssl/g)].map(([, name]) => name)
  assert.deepEqual([...sent].toSorted(), made.toSorted())
  assert.ok(readProjectFile('.gitignore').split('\n').includes('.env'))
})

test('mounted files exist, and the bucket is the one that is created', () => {
  const mounted = Object.values(services).flatMap(({ volumes }) => volumes ?? [])
  for (const volume of mounted.filter((name) => name.startsWith('.'))) {
    const [path = '', , mode] = volume.split(':')
    assert.ok(existsSync(join(projectFolder, path)), path)
    assert.equal(mode, 'ro')
  }
  const url = new URL(settings.FILES_URL ?? '')
  const toml = readProjectFile('deploy/garage.toml')
  assert.equal(url.hostname, garage.environment?.GARAGE_DEFAULT_BUCKET)
  assert.ok(toml.includes(`s3_region = "${url.searchParams.get('region') ?? ''}"`))
  const { port, hostname } = new URL(url.searchParams.get('endpoint') ?? '')
  assert.ok(hostname in services && toml.includes(`api_bind_addr = "0.0.0.0:${port}"`))
})

test('nginx accepts its configuration', { skip: withoutNginx }, async (t) => {
  const { program, file } = await writeNginxFiles(t)
  const { stderr } = await run(program, ['-t', '-c', file])
  assert.match(stderr, /test is successful/)
})
