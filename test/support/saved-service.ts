import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { asJson, type Send } from './client.ts'
import {
  runSucceeding,
  emptyService,
  readEverything,
  openService,
  uploadFile,
} from './data-folder.ts'

export async function createLocation(send: Send, name: string): Promise<void> {
  assert.equal((await send('/locations', asJson('POST', { name }))).status, 201)
}

/** Some records and uploads, small, large and empty. */
export async function furnish(send: Send): Promise<void> {
  for (const name of ['Pier', 'Café 漢', 'Old "Mill"']) await createLocation(send, name)
  for (const size of [0, 1, 100_000, 3_000_000]) {
    await uploadFile(send, `${String(size)}.bin`, randomBytes(size))
  }
}

/** A service with records and uploads, and a backup of them. */
export async function savedService(t: TestContext, settings: Record<string, string> = {}) {
  const services = await emptyService(t, settings)
  const vitrine = await openService(t, services)
  await furnish(vitrine.send)
  const file = join(services.folder, 'saved.vitrine')
  const output = await runSucceeding(services, 'backup', file)
  return { services, vitrine, file, output, seen: await readEverything(vitrine) }
}
