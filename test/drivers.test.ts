import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { failedStart } from './support/failed-start.ts'
import { settingsIn, startVitrine, temporaryFolder } from './support/start-vitrine.ts'
import packageJson from '../package.json' with { type: 'json' }

const drivers = Object.keys(packageJson.peerDependencies)

// As in an installation, which has none of the optional packages.
const withoutDrivers = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve: (name, context, next) => {
      if (!${JSON.stringify(drivers)}.includes(name)) return next(name, context)
      throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
    },
  })
`)}`

async function startWithout(t: TestContext, settings: Record<string, string>) {
  const folder = await temporaryFolder(t)
  return failedStart(t, { ...settingsIn(folder), NODE_OPTIONS: withoutDrivers, ...settings })
}

test('the default start loads no driver', async (t) => {
  const { origin } = await startVitrine(t, { NODE_OPTIONS: withoutDrivers })
  assert.equal((await fetch(`${origin}/health`)).status, 200)
})

test('the error for a package that is not installed is one line with its name, and those of others', async (t) => {
  const cases: [settings: Record<string, string>, line: string][] = [
    [
      { REDIS_URL: 'redis://127.0.0.1:1' },
      'packages are missing for REDIS_URL: npm install ioredis',
    ],
    [
      { FILES_URL: 's3://bucket', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
      'packages are missing for FILES_URL: npm install aws4fetch',
    ],
    [{ ADMIN_PORT: '0' }, 'packages are missing for ADMIN_PORT: npm install prom-client'],
    [
      { DATABASE_URL: 'postgres://127.0.0.1:1/records', REDIS_URL: 'redis://127.0.0.1:1' },
      'packages are missing for DATABASE_URL, REDIS_URL: npm install pg ioredis',
    ],
  ]
  for (const [settings, line] of cases) {
    await t.test(line, async () => {
      const { status, output } = await startWithout(t, settings)
      assert.equal(output, `vitrine: ${line}\n`)
      assert.equal(status, 2)
    })
  }
})

test('every driver is an optional peer dependency, and installed for the tests', async (t) => {
  const { peerDependenciesMeta, devDependencies, dependencies } = packageJson
  for (const driver of drivers) {
    await t.test(driver, () => {
      assert.ok(driver in peerDependenciesMeta && driver in devDependencies)
      assert.ok(!(driver in dependencies))
    })
  }
})
