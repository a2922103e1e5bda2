import { isPasswordHash } from '../auth/passwords.ts'
import { demos } from '../demos/catalogue.ts'
import { locations } from '../demos/locations/locations.ts'
import { users } from '../demos/users/users.ts'
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
  const resource = [locations, users].find(({ name }) => name === collection)
  const [problem] = resource ? findProblems(resource, document) : []
  if (problem) throw new Error(`${problem.field} ${problem.message}`)
  if (resource === users && !isPasswordHash(String(document.password))) {
    throw new Error('its password is not a hash')
  }
}
