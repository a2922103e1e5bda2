import { openRecords } from '../../stores/open-stores.ts'
import type { Config } from '../../config/config.ts'
import { seedPassword } from './documents.ts'
import { seedings, seedRecords } from './seed-records.ts'
import { StoreFailure } from '../../stores/store-failure.ts'
import type { Records } from '../../stores/records/records.ts'
import { createProgress } from '../progress.ts'
import { assertOnDisk, toCount } from '../format.ts'

/** Adds `count` locations and as many users, whether the service runs or not. */
export async function seed(config: Config, count: number): Promise<void> {
  assertOnDisk(config.databaseUrl)
  const { records, close } = await openRecords(config)
  try {
    await assertWithinLimit(config, records, count)
    // Whoever reads the progress may go before it ends.
    process.stdout.on('error', () => undefined)
    const progress = createProgress(seedings.length * count, process.stdout)
    await seedRecords(records, count, progress)
    const made = `${toCount(count, 'location')} and ${toCount(count, 'user')}`
    console.log(`Added ${made}; the password of every user is "${seedPassword}"`)
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    throw new Error(`the database is ${error.kind}: ${error.message}`, { cause: error })
  } finally {
    await close()
  }
}

async function assertWithinLimit({ maxRecords }: Config, records: Records, count: number) {
  if (maxRecords === undefined) return
  for (const { resource } of seedings) {
    const there = await records.collection(resource.name).count()
    if (there + count <= maxRecords) continue
    throw new Error(
      `MAX_RECORDS allows ${toCount(maxRecords, resource.singular)}; there are ${there.toLocaleString('en')}, and ${count.toLocaleString('en')} more would be too many`,
    )
  }
}
