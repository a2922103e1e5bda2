import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1'
import type { IService } from 'kubernetes-models/v1'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { loadConfig } from '../../src/config/config.ts'
import { settingNames, toEnvironmentName } from '../../src/config/settings.ts'
import { projectFolder, temporaryFolder } from '../support/start-vitrine.ts'
import { findInImage, imageEnvironment, readProjectFile } from './dockerfile.ts'

const text = readProjectFile('deploy/kubernetes.yaml')
const documents = parseAllDocuments(text).map(
  (document) => document.toJS() as { apiVersion: string; kind: string },
)
const [deployment, service, budget] = documents as unknown as [
  IDeployment,
  IService,
  IPodDisruptionBudget,
]
const pod = deployment.spec?.template.spec ?? assert.fail('there is no pod')
const [container = assert.fail('there is no container')] = pod.containers
const environment = container.env ?? []

/**
 * The errors of TypeScript for these as literals, by the types made from the schema of Kubernetes:
 * unlike a validator of that schema it knows a name that is misspelt.
 */
async function findTypeProblems(t: TestContext, manifests: typeof documents): Promise<string> {
  const folder = await temporaryFolder(t)
  const lines = manifests.map((manifest, index) => {
    const { apiVersion, kind } = manifest
    const file = join(projectFolder, 'node_modules/kubernetes-models', apiVersion, `${kind}.js`)
    const type = `import(${JSON.stringify(file)}).I${kind}`
    return `export const manifest${String(index)}: ${type} = ${JSON.stringify(manifest, null, 2)}`
  })
  await writeFile(join(folder, 'manifests.ts'), lines.join('\n'))
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc')
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', 'manifests.ts']
  return promisify(execFile)(process.execPath, [tsc, ...flags], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { stdout?: string }).stdout || String(error),
  )
}

test('kubernetes.yaml is valid for Kubernetes', async (t) => {
  const kinds = documents.map(({ kind }) => kind)
  assert.deepEqual(kinds, ['Deployment', 'Service', 'PodDisruptionBudget'])
  assert.equal(await findTypeProblems(t, documents), '')
  const misspelt = JSON.parse(
    JSON.stringify(documents).replace('readinessProbe', 'readynessProbe'),
  ) as typeof documents
  assert.match(await findTypeProblems(t, misspelt), /readynessProbe/)
})

test('its image has the version of this repository', () => {
  assert.equal(container.image, `vitrine:${packageJson.version}`)
})

test('its pods have no privileges', () => {
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const { runAsNonRoot, runAsUser, runAsGroup, seccompProfile } = pod.securityContext ?? {}
  assert.deepEqual(
    { runAsNonRoot, seccompProfile },
    { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  )
  // The user that the compile cache in the image is for.
  assert.equal(`${String(runAsUser)}:${String(runAsGroup)}`, findInImage('USER'))
  assert.equal(pod.automountServiceAccountToken, false)
  assert.ok(container.resources?.requests?.memory && container.resources.limits?.memory)
  const mounts = container.volumeMounts?.map(({ mountPath }) => mountPath)
  assert.deepEqual(mounts, [findInImage('VOLUME')])
})

test('its settings exist, and its secrets are elsewhere', () => {
  const known = settingNames.map(toEnvironmentName)
  const samples: Record<string, string> = {
    DATABASE_URL: 'postgres://vitrine@postgres/vitrine',
    REDIS_URL: 'redis://valkey',
    FILES_URL: 's3://bucket',
  }
  const settings: Record<string, string> = { ...imageEnvironment }
  for (const { name, value, valueFrom } of environment) {
    assert.ok(known.includes(name), name)
    settings[name] = value ?? samples[name] ?? 'secret'
    if (value !== undefined) continue
    assert.deepEqual(valueFrom, { secretKeyRef: { name: 'vitrine', key: name } })
    assert.ok(text.includes(`--from-literal=${name}=`), name)
  }
  assert.throws(() => loadConfig(settings, ['topic']), /^Error: TRUSTED_PROXIES must be [^\n]*$/)
  settings.TRUSTED_PROXIES = '10.0.0.7'
  const { preset, adminPort } = loadConfig(settings, ['topic'])
  assert.equal(preset, 'public')
  const ports = new Map(container.ports?.map(({ name, containerPort }) => [name, containerPort]))
  assert.deepEqual(
    [ports.get('http'), ports.get('admin')],
    [Number(imageEnvironment.PORT), adminPort],
  )
})

test('its probes use the port of the image, for health and readiness', () => {
  const [path] = /\/health\/live/.exec(readProjectFile('deploy/healthcheck.js')) ?? []
  const { startupProbe, livenessProbe, readinessProbe } = container
  assert.deepEqual(livenessProbe?.httpGet, { path, port: 'admin' })
  assert.deepEqual(startupProbe?.httpGet, livenessProbe.httpGet)
  assert.deepEqual(readinessProbe?.httpGet, { path: '/health/ready', port: 'admin' })
})

test('the two replicas are discovered, spread, protected from eviction, and have time to stop', () => {
  const labels = deployment.spec?.template.metadata?.labels
  const [spread] = pod.topologySpreadConstraints ?? []
  assert.deepEqual(deployment.spec?.selector.matchLabels, labels)
  assert.deepEqual(spread?.labelSelector?.matchLabels, labels)
  assert.deepEqual(service.spec?.selector, labels)
  assert.deepEqual(budget.spec?.selector?.matchLabels, labels)
  assert.deepEqual([deployment.spec?.replicas, budget.spec?.minAvailable], [2, 1])
  assert.equal(service.spec?.ports?.[0]?.targetPort, 'http')
  // README: requests in flight have ten seconds.
  const drain = environment.find(({ name }) => name === 'DRAIN_SECONDS')
  assert.ok(Number(drain?.value) > 0)
  assert.ok(Number(pod.terminationGracePeriodSeconds) > 10 + Number(drain?.value))
})
