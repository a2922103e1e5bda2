import { isPasswordHash } from '../auth/passwords.ts'
import { locations } from '../demos/locations/locations.ts'
import { users } from '../demos/users/users.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { idPattern } from '../resources/context.ts'
import { assertStorable, findProblems } from '../resources/write/input.ts'
import { collectionNames } from '../stores/collection-names.ts'
import type { CheckDocument } from '../stores/sqlite/backup-checks.ts'

const text = { type: 'string' }
const matching = (pattern: string) => ({ type: 'string', pattern })
const id = matching(`^${idPattern}$`)
const time = matching(
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$',
)

function object(required: Readonly<Record<string, object>>, optional = {}) {
  const properties = { ...required, ...optional }
  return { type: 'object', required: Object.keys(required), properties }
}

const upload = object({
  name: { type: 'string', maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
  type: matching('^[\\w!#$&^.+-]{1,100}/[\\w!#$&^.+-]{1,100}$'),
  size: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  sha256: matching('^[0-9a-f]{64}$'),
})
const issue = object(
  { by: { enum: ['login', 'renewal'] }, newId: text, issuedAt: time },
  { oldId: text },
)
const session = object(
  { userId: id, passwordHash: text, createdAt: time, expiresAt: time, idleUntil: time },
  { issue },
)
const response = object({
  status: { type: 'integer', minimum: 200, maximum: 599 },
  headers: {
    type: 'object',
    propertyNames: matching("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"),
    additionalProperties: matching('^[\\t\\x20-\\x7e\\x80-\\xff]*$'),
  },
  content: matching('^[A-Za-z0-9+/]*={0,2}$'),
})
const entry = object(
  { fingerprint: text, recordId: id, leasedUntil: time, expiresAt: time },
  { answer: response },
)

const validators = new Map<string, ReturnType<typeof compileLater>>([
  [collectionNames.uploads, compileLater(upload)],
  [collectionNames.sessions, compileLater(session)],
  [collectionNames.idempotencyEntries, compileLater(entry)],
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
