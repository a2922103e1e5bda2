import type { Config } from '../config/config.ts'
import { findNearest } from '../config/find-nearest.ts'
import { findLoad, toPlace } from '../data-file/load-data.ts'
import { readSchema } from '../data-file/parse-data.ts'
import { explainProblem, HttpError } from '../http/errors/http-error.ts'
import { defineResource, type Resource } from '../resources/definition.ts'
import { toTypes } from '../http/openapi/json-schema.ts'
import type { Relation, ResourceContext } from '../resources/context.ts'
import { createContext } from '../resources/relations/create-context.ts'
import { findProblems } from '../resources/write/find-problems.ts'
import { createHasher, createRecord } from '../resources/write/write.ts'
import { parseId } from '../resources/write/create-numbered.ts'
import { openRecords } from '../stores/open-stores.ts'
import {
  allRecords,
  type Collection,
  type Document,
  type Records,
} from '../stores/records/records.ts'
import { createFake, type FakeSource } from './fake-values.ts'
import { formatCount } from '../config/format-count.ts'
import { assertNotInMemory } from './format.ts'
import { nextTurn } from '../timers.ts'

const maxAttempts = 100
const maxParents = 1000

export async function seedResource(config: Config, count: number): Promise<void> {
  const { dataFile, seedResource: name, seedNumber } = config
  if (dataFile === undefined)
    throw new Error('name the data file: vitrine db.json seed 100 --resource posts')
  assertNotInMemory(config.databaseUrl)
  const { records, close } = await openRecords(config)
  try {
    const { context, resources } = await findContext(config, records, name)
    const { faker } = await import('@faker-js/faker/locale/en').catch((cause: unknown) => {
      throw new Error('seed needs a package: npm install @faker-js/faker', { cause })
    })
    // Another call with this number adds other records to these.
    const stored = await context.collection.count()
    if (seedNumber !== undefined) faker.seed([seedNumber, stored])
    faker.setDefaultRefDate('2026-01-01T00:00:00.000Z')
    await records.changes.start(name)
    const ids = await loadNestedIds(context, records, resources)
    await addRecords(context, { faker, ids, isOfPeople: isOfPeople(context.resource) }, count)
    console.log(
      `Added ${formatCount(count, 'record')} to ${name} in ${toPlace(config.databaseUrl)}`,
    )
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
  if (resource)
    return { resources, context: createContext(resource, { config, records, resources }) }
  const names = lists.map((known) => known.name)
  const nearest = findNearest(name, names)
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
  throw new Error(`--resource must be one of ${names.join(', ')}${hint}`)
}

async function addRecords(
  context: ResourceContext,
  source: FakeSource,
  count: number,
): Promise<void> {
  const { resource } = context
  const hash = createHasher(resource)
  const known = new Map([...(await loadRepeatedTexts(context)), ...(await loadParentIds(context))])
  for (let index = 0; index < count; index += 1) {
    for (let attempt = 1; ; attempt += 1) {
      const document = createDocument(resource, source, known)
      try {
        const id = source.faker.string.uuid()
        const { createdAt } = await createRecord(context, id, await hash(document))
        // Records of the same millisecond would be listed in the order of their ids.
        while (Date.parse(createdAt) === Date.now()) await nextTurn()
        break
      } catch (error) {
        // Another record may have the same value of a unique field.
        const isTaken = error instanceof HttpError && error.status === 422
        if (!isTaken || attempt === maxAttempts) throw error
      }
    }
  }
}

const maxChoices = 20

async function loadRepeatedTexts({ resource, collection }: ResourceContext) {
  const found = await collection.list(allRecords, { offset: 0, limit: maxParents })
  const fitting = found.filter(({ document }) => findProblems(resource, document).length === 0)
  const texts = resource.fields.filter(({ kind }) => kind === 'text')
  return texts.flatMap(({ name }): [string, unknown[]][] => {
    const values = fitting.map(({ document }) => document[name]).filter(isText)
    const choices = [...new Set(values)]
    const isRepeated = choices.length > 0 && choices.length < values.length
    return isRepeated && choices.length <= maxChoices ? [[name, choices]] : []
  })
}

const isText = (value: unknown) => typeof value === 'string'

async function loadNestedIds(
  { resource, config }: ResourceContext,
  records: Records,
  resources: readonly Resource[],
) {
  const schema = JSON.stringify(resource.fields.map((field) => field.schema))
  const named = resources.map((other) => ({ other, name: other.key + config.foreignKeySuffix }))
  const entries = named
    .filter(({ name }) => schema.includes(`"${name}":`))
    .map(async ({ other, name }): Promise<[string, unknown[]]> => [
      name,
      await loadIds(records.collection(other.name), other),
    ])
  return new Map(await Promise.all(entries))
}

async function loadIds(collection: Pick<Collection, 'list'>, resource: Resource) {
  const found = await collection.list(allRecords, { offset: 0, limit: maxParents })
  return found.map(({ id }) => parseId(resource, id))
}

function isOfPeople({ name, fields }: Resource): boolean {
  const isNamed = /people|person|user|author|customer|client|member|employee|student/i.test(name)
  return isNamed || fields.some(({ kind }) => kind === 'email')
}

async function loadParentIds({ relations, resource }: ResourceContext) {
  const toEntry = async ({ field, other }: Relation): Promise<[string, unknown[]]> => {
    const known = resource.fields.find(({ name }) => name === field)
    const types = known ? toTypes(known.schema) : []
    const isFitting = (id: unknown) =>
      (typeof id === 'number' ? ['integer', 'number'] : ['string']).some((type) =>
        types.includes(type),
      )
    const all = await loadIds(other.collection, other.resource)
    const ids = all.filter(isFitting)
    const reason =
      all.length === 0 ? 'no records: seed it first' : `no id of the type ${types.join(' or ')}`
    if (ids.length === 0 && known?.isRequired)
      throw new Error(`${field} refers to ${other.resource.name}, which has ${reason}`)
    return [field, ids]
  }
  return new Map(await Promise.all(relations.filter(({ isToParent }) => isToParent).map(toEntry)))
}

function createDocument(
  resource: Resource,
  source: FakeSource,
  known: ReadonlyMap<string, readonly unknown[]>,
): Document {
  const entries = resource.fields.map(({ name, schema }): [string, unknown] => {
    const values = known.get(name)
    if (values === undefined) return [name, createFake(source, name, schema)]
    return [name, values.length > 0 ? source.faker.helpers.arrayElement(values) : undefined]
  })
  const document = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  const [problem] = findProblems(resource, document)
  if (problem) throw new Error(`no value can be generated: ${explainProblem(problem)}`)
  return document
}
