import { isPasswordHash } from '../auth/passwords.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { assertStorable, findProblems } from '../resources/write/problems.ts'
import { seedings } from './seed/seed.ts'
import { collectionNames } from '../stores/collection-names.ts'
import type { CheckDocument } from '../stores/sqlite/backup-checks.ts'

const time = {
  type: 'string',
  pattern:
    '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$',
} as const
const id = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } as const
const text = { type: 'string' } as const

/** Checks for the collections that are not resources. */
const checks = {
  [collectionNames.uploads]: compileLater({
    type: 'object',
    required: ['name', 'type', 'size', 'sha256'],
    properties: {
      name: { type: 'string', maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
      type: { type: 'string', pattern: '^[\\w!#$&^.+-]{1,100}/[\\w!#$&^.+-]{1,100}$' },
      size: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    },
  }),
  [collectionNames.sessions]: compileLater({
    type: 'object',
    required: ['userId', 'passwordHash', 'createdAt', 'expiresAt', 'idleUntil'],
    properties: {
      userId: id,
      passwordHash: text,
      createdAt: time,
      expiresAt: time,
      idleUntil: time,
      issue: {
        type: 'object',
        required: ['by', 'newId', 'issuedAt'],
        properties: {
          by: { enum: ['login', 'renewal'] },
          oldId: text,
          newId: text,
          issuedAt: time,
        },
      },
    },
  }),
  [collectionNames.idempotencyEntries]: compileLater({
    type: 'object',
    required: ['fingerprint', 'recordId', 'leasedUntil', 'expiresAt'],
    properties: {
      fingerprint: text,
      recordId: id,
      leasedUntil: time,
      expiresAt: time,
      answer: {
        type: 'object',
        required: ['status', 'headers', 'content'],
        properties: {
          status: { type: 'integer', minimum: 200, maximum: 599 },
          headers: {
            type: 'object',
            propertyNames: { type: 'string', pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
            additionalProperties: { type: 'string', pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' },
          },
          content: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
        },
      },
    },
  }),
}

function isChecked(name: string): name is keyof typeof checks {
  return Object.hasOwn(checks, name)
}

/** Throws if the document in a backup is invalid. */
export const checkDocument: CheckDocument = (resource, document) => {
  if (isChecked(resource) && !checks[resource]().Check(document)) {
    throw new Error(`it has an invalid document in ${resource}`)
  }
  assertStorable(document)
  const definition = seedings.find((seeding) => seeding.resource.name === resource)?.resource
  if (definition === undefined) return
  const [problem] = findProblems(definition, document)
  if (problem) throw new Error(`${problem.field} ${problem.message}`)
  const { password } = document
  if (resource === 'users' && !isPasswordHash(String(password))) {
    throw new Error('its password is no hash')
  }
}
