import { setImmediate } from 'node:timers/promises'
import type { Faker } from '@faker-js/faker'
import type { Config } from '../config/config.ts'
import { findLoad } from '../data-file/load-data.ts'
import { readSchema } from '../data-file/open-data.ts'
import { HttpError } from '../http/errors/http-error.ts'
import { defineResource, type Resource } from '../resources/definition.ts'
import type { Relation, ResourceContext } from '../resources/context.ts'
import { createContext } from '../resources/relations/create-context.ts'
import { findProblems } from '../resources/write/input.ts'
import { createHasher, createRecord } from '../resources/write/write.ts'
import { parseId } from '../resources/write/create-numbered.ts'
import { loadDriver } from '../stores/load-driver.ts'
import { openRecords } from '../stores/open-stores.ts'
import { allRecords, type Document, type Records } from '../stores/records/records.ts'
import { createFake } from './fake-values.ts'
import { assertNotInMemory, formatCount } from './format.ts'

const maxAttempts = 100
const maxParents = 1000

/** Adds generated records to one resource of the data file. */
export async function seedResource(config: Config, count: number): Promise<void> {
  const { dataFile, seedResource: name, seedNumber } = config
  if (dataFile === undefined)
    throw new Error('name the data file: vitrine db.json seed 100 --resource posts')
  assertNotInMemory(config.databaseUrl)
  const load = () => import('@faker-js/faker/locale/en')
  const { faker } = await loadDriver('seed', '@faker-js/faker', load)
  const { records, close } = await openRecords(config)
  try {
    const context = await findContext(config, records, name)
    // Another call with this number adds other records to these.
    const stored = await context.collection.count()
    if (seedNumber !== undefined) faker.seed([seedNumber, stored])
    faker.setDefaultRefDate('2026-01-01T00:00:00.000Z')
    await records.changes.start(name)
    await addRecords(context, faker, count)
    console.log(`Added ${formatCount(count, 'record')} to ${name}`)
  } finally {
    await close()
  }
}

async function findContext(config: Config, records: Records, name: string) {
  const load = await findLoad(records)
  if (!load?.isComplete) throw new Error('the data file has not been loaded: start the service')
  if (config.dataSchema !== undefined && load.schemaHash !== (await readSchema(config)).schemaHash)
    throw new Error('the service has another schema: start it with this --schema first')
  const resources = load.definitions.map((definition) => defineResource(definition))
  const lists = resources.filter(({ isSingular }) => !isSingular)
  const resource = lists.find((known) => known.name === name)
  if (resource) return createContext(resource, { config, records, resources })
  throw new Error(`--resource must be one of ${lists.map((known) => known.name).join(', ')}`)
}

async function addRecords(context: ResourceContext, faker: Faker, count: number): Promise<void> {
  const { resource } = context
  const hash = createHasher(resource)
  const parents = await loadParents(context)
  for (let index = 0; index < count; index += 1) {
    for (let attempt = 1; ; attempt += 1) {
      const document = createDocument(resource, faker, parents)
      try {
        const id = faker.string.uuid()
        const { createdAt } = await createRecord(context, id, await hash(document))
        // Records of the same millisecond would be listed in the order of their ids.
        while (Date.parse(createdAt) === Date.now()) await setImmediate()
        break
      } catch (error) {
        // A unique value that another record has.
        const isTaken = error instanceof HttpError && error.status === 422
        if (!isTaken || attempt === maxAttempts) throw error
      }
    }
  }
}

/** The ids that each reference can have. */
async function loadParents({ relations, resource }: ResourceContext) {
  const toEntry = async ({ field, other }: Relation): Promise<[string, unknown[]]> => {
    const found = await other.collection.list(allRecords, { offset: 0, limit: maxParents })
    const ids = found.map(({ id }) => parseId(other.resource, id))
    const { isRequired = false } = resource.fields.find(({ name }) => name === field) ?? {}
    if (ids.length === 0 && isRequired)
      throw new Error(
        `${field} refers to ${other.resource.name}, which has no records: seed it first`,
      )
    return [field, ids]
  }
  return new Map(await Promise.all(relations.filter(({ isToParent }) => isToParent).map(toEntry)))
}

function createDocument(
  resource: Resource,
  faker: Faker,
  parents: ReadonlyMap<string, readonly unknown[]>,
): Document {
  const entries = resource.fields.map(({ name, schema }): [string, unknown] => {
    const ids = parents.get(name)
    if (ids === undefined) return [name, createFake(faker, name, schema)]
    return [name, ids.length > 0 ? faker.helpers.arrayElement(ids) : undefined]
  })
  const document = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  const [problem] = findProblems(resource, document)
  if (problem) throw new Error(`no value can be generated: ${problem.field} ${problem.message}`)
  return document
}
