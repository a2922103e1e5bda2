import { isPasswordHash } from '../auth/passwords.ts'
import { demos, resources } from '../demos/catalogue.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { assertStorable, findProblems } from '../resources/write/input.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { entrySchema } from '../stores/idempotency/idempotency.ts'
import { storedSessionSchema } from '../stores/sessions/sessions.ts'
import type { CheckDocument } from '../stores/sqlite/backup-checks.ts'

const validators = new Map<string, ReturnType<typeof compileLater>>([
  ...demos.flatMap(({ name, fileSchema }) =>
    fileSchema ? [[name, compileLater(fileSchema)] as const] : [],
  ),
  [collectionNames.sessions, compileLater(storedSessionSchema)],
  [collectionNames.idempotencyEntries, compileLater(entrySchema)],
])

export const checkDocument: CheckDocument = (collection, document) => {
  if (validators.get(collection)?.().Check(document) === false) {
    throw new Error(`it has an invalid document in ${collection}`)
  }
  assertStorable(document)
  const resource = resources.find(({ name }) => name === collection)
  const [problem] = resource ? findProblems(resource, document) : []
  if (problem) throw new Error(`${problem.field} ${problem.message}`)
  for (const { name } of resource?.passwords ?? []) {
    if (!isPasswordHash(String(document[name]))) throw new Error(`its ${name} is not a hash`)
  }
}
