import { isPasswordHash } from '../auth/passwords.ts'
import { loadSchema } from '../data-file/parse-load.ts'
import { savedSchema, snapshotSchema } from '../data-file/replace-records.ts'
import { collections, demos, resources } from '../demos/catalogue.ts'
import { isRoutableId } from '../resources/context.ts'
import { explainProblem } from '../http/errors/http-error.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { learnedSchema } from '../resources/learned-fields.ts'
import { assertStorable, findProblems } from '../resources/write/find-problems.ts'
import { blockListSchema } from '../limits/block-list.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { entrySchema } from '../stores/idempotency/idempotency.ts'
import { stateSchema } from '../stores/states/states.ts'
import { storedSessionSchema } from '../stores/sessions/sessions.ts'
import { isId, type Document } from '../stores/records/records.ts'
import { toDataNames, type CheckRecord } from '../stores/archive/archive.ts'

const ownSchemas = {
  ...Object.fromEntries(collections.map(({ name, schema }) => [name, schema])),
  [collectionNames.sessions]: storedSessionSchema,
  [collectionNames.idempotencyEntries]: entrySchema,
  [collectionNames.states]: stateSchema,
  [collectionNames.dataFile]: loadSchema,
  [collectionNames.learnedFields]: learnedSchema,
  [collectionNames.snapshots]: snapshotSchema,
  [collectionNames.snapshotRecords]: savedSchema,
  [collectionNames.blockList]: blockListSchema,
}

const validators = new Map<string, ReturnType<typeof compileLater>>(
  Object.entries(ownSchemas).map(([name, schema]) => [name, compileLater(schema)]),
)

/** Each collection has a schema. Those of a data file are in a record. */
export const schemas = {
  ...ownSchemas,
  ...Object.fromEntries(resources.map(({ name, schema }) => [name, schema])),
}

const ownNames = new Set([...demos.map(({ name }) => name), ...collections.map(({ name }) => name)])

/** For the records of an archive in their order: the load of a data file, which is the first, has its resources. */
export function createRecordCheck(): CheckRecord {
  let dataNames: readonly string[] = []
  return (collection, id, document) => {
    if (collection === collectionNames.dataFile) dataNames = toDataNames(document)
    checkRecord({ collection, id, document }, dataNames.includes(collection))
  }
}

function checkRecord(
  { collection, id, document }: { collection: string; id: string; document: Document },
  isOfData: boolean,
): void {
  // Ids of records of files become file names.
  const isOwn = !isOfData && (collection.startsWith('~') || ownNames.has(collection))
  const isValid = isOwn ? isId(id) : isRoutableId(id)
  if (!isValid) throw new Error('its id is invalid')
  if (isOwn && validators.get(collection)?.().Check(document) === false) {
    throw new Error(`it has an invalid document in ${collection}`)
  }
  assertStorable(document)
  const resource = isOfData ? undefined : resources.find(({ name }) => name === collection)
  const [problem] = resource ? findProblems(resource, document) : []
  if (problem) throw new Error(explainProblem(problem))
  for (const { name } of resource?.passwords ?? []) {
    if (!isPasswordHash(String(document[name]))) throw new Error(`its ${name} is not a hash`)
  }
}
