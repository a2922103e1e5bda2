import { openRecords } from '../stores/open-stores.ts'
import { explainProblem } from '../http/errors/http-error.ts'
import type { Config } from '../config/config.ts'
import { findProblems } from '../resources/write/find-problems.ts'
import { createHasher } from '../resources/write/write.ts'
import { resources } from '../demos/catalogue.ts'
import { samplePassword } from '../resources/samples.ts'
import { createId } from '../stores/create-id.ts'
import { pristinePlace, toPlaceName } from '../stores/sandboxes/sandboxes.ts'
import { StoreFailure } from '../stores/store-failure.ts'
import type { Records } from '../stores/records/records.ts'
import { toPlace } from '../data-file/load-data.ts'
import { formatCount, formatNumber } from '../config/format-count.ts'
import { assertNotInMemory } from './format.ts'

const kinds = resources.flatMap((resource) => {
  const { createSample, singular } = resource
  const notes = resource.passwords.map(
    ({ name }) => `; the ${name} of every ${singular} is "${samplePassword}"`,
  )
  return createSample ? [{ resource, createSample, notes, hash: createHasher(resource) }] : []
})

const recordsPerBatch = 100

export async function seed(config: Config, count: number): Promise<void> {
  assertNotInMemory(config.databaseUrl)
  const { records, close } = await openRecords(config)
  try {
    await assertWithinLimit(config, records, count)
    // The reader of a pipe may end first.
    process.stdout.on('error', () => undefined)
    const progress = createProgress(kinds.length * count, console.log)
    await seedRecords(records, count, progress, config.sandboxRecords)
    const added = kinds.map(({ resource }) => formatCount(count, resource.singular)).join(' and ')
    console.log(`Added ${added}${kinds.flatMap(({ notes }) => notes).join('')}`)
    console.log(`The database is ${toPlace(config.databaseUrl)}`)
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    throw new Error(`the database is ${error.kind}: ${error.message}`, { cause: error })
  } finally {
    await close()
  }
}

async function assertWithinLimit({ maxRecords }: Config, records: Records, count: number) {
  if (maxRecords === undefined) return
  for (const { resource } of kinds) {
    const stored = await records.collection(resource.name).count()
    if (stored + count <= maxRecords) continue
    const limit = formatCount(maxRecords, resource.singular)
    const counts = `${formatNumber(stored)} exist and ${formatNumber(count)} cannot be added`
    throw new Error(`MAX_RECORDS allows ${limit}; ${counts}`)
  }
}

export async function seedRecords(
  records: Records,
  count: number,
  onProgress: (done: number) => void = () => undefined,
  sandboxRecords = 0,
): Promise<void> {
  for (const [index, { resource, createSample, hash }] of kinds.entries()) {
    const collection = records.collection(resource.name)
    const pristine = records.collection(toPlaceName(pristinePlace, resource.name))
    const maxPristine = (await pristine.count()) === 0 ? sandboxRecords : 0
    const create = async (number: number, createdAt: string) => {
      const document = createSample(number)
      const [problem] = findProblems(resource, document)
      if (problem)
        throw new Error(`${resource.singular} ${String(number)}: ${explainProblem(problem)}`)
      const hashed = await hash(document)
      const record = { id: createId(), document: hashed, createdAt }
      await collection.create(record)
      if (number < maxPristine) await pristine.create(record)
    }
    for (let first = 0; first < count; first += recordsPerBatch) {
      const length = Math.min(recordsPerBatch, count - first)
      const createdAt = new Date().toISOString()
      await Promise.all(Array.from({ length }, (_, offset) => create(first + offset, createdAt)))
      onProgress(index * count + first + length)
    }
  }
}

export function createProgress(total: number, print: (line: string) => void) {
  let shown = 0
  return (done: number) => {
    const percent = Math.floor((done / total) * 10) * 10
    if (percent === shown) return
    shown = percent
    print(`${String(percent)} % (${formatNumber(done)} of ${formatNumber(total)})`)
  }
}
