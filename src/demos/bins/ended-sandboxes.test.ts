import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../config/config.ts'
import { openStores } from '../../stores/open-stores.ts'
import { runInScope } from '../../stores/sandboxes/sandboxes.ts'
import { createBinStore } from './bin-store.ts'
import { createRequestStore } from './request-store.ts'

test('the bins of a sandbox are removed after its reset, and no others', async (t) => {
  const config = loadConfig({ DEMOS: 'none', DATABASE_URL: 'sqlite::memory:' }, [])
  const stores = await openStores(config)
  t.after(() => stores.close())
  const { sandboxes, shared } = stores
  const services = { ...stores, ...shared, config }
  const bins = createBinStore({ ...services }, createRequestStore(services), config)
  sandboxes.onEnd(bins.removeOfPlace)
  const inSandbox = <Result>(run: () => Result) =>
    runInScope({ sandbox: { id: 'of-ann', isReadOnly: false } }, run)
  const kept = await bins.create({})
  const before = await inSandbox(() => bins.create({}))
  await inSandbox(() => sandboxes.reset())
  const after = await inSandbox(() => bins.create({}))
  const hour = 3_600_000
  await sandboxes.sweep(new Date(Date.now() + hour).toISOString(), [])
  const found = await Promise.all([kept, before, after].map(({ id }) => bins.has(id)))
  assert.deepEqual(found, [true, false, true])
})
