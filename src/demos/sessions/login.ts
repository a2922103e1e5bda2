import type { FastifyRequest } from 'fastify'
import { unprocessable, unsupportedMediaType } from '../../http/errors/http-error.ts'
import { isObject } from '../../http/body/is-object.ts'
import { compileLater } from '../../http/body/json-schema.ts'
import { hasBody, isFieldsType, toMediaType } from '../../http/body/body-reader.ts'
import { verifyPassword } from '../../auth/passwords.ts'
import type { Collection, RecordQuery, StoredRecord } from '../../stores/records/records.ts'

export const credentialsSchema = {
  type: 'object',
  required: ['username', 'password'],
  properties: { username: { type: 'string' }, password: { type: 'string' } },
} as const
const credentials = compileLater(credentialsSchema)

export interface Credentials {
  username: string
  password: string
}

/** Throws 415 for a body that is neither a form nor JSON, and 422 with the invalid fields. */
export function parseCredentials(request: FastifyRequest): Credentials {
  const body = isObject(request.body) ? request.body : {}
  if (hasBody(request.raw) && !isFieldsType(toMediaType(request.headers['content-type']))) {
    throw unsupportedMediaType('A login must be a form or JSON.', {
      'accept-post': 'application/json, application/x-www-form-urlencoded',
    })
  }
  if (credentials().Check(body)) return body
  throw unprocessable(
    ['username', 'password']
      .filter((field) => typeof body[field] !== 'string')
      .map((field) => ({
        field,
        message: body[field] === undefined ? 'is required' : 'must be text',
      })),
  )
}

/** Names are not unique: this many users of one name are tried. */
const maxCandidates = 16

/** The newest user with this name and password. */
export async function findUser(
  users: Collection,
  { username, password }: Credentials,
): Promise<StoredRecord | undefined> {
  const query: RecordQuery = {
    filters: [{ field: 'name', operator: 'eq', values: [username] }],
    sort: [{ field: 'createdAt', isDescending: true }],
  }
  const candidates = await users.list(query, { offset: 0, limit: maxCandidates })
  // Without it the time of the response would tell which names exist.
  if (candidates.length === 0) await verifyPassword(password, undefined)
  for (const candidate of candidates) {
    if (await verifyPassword(password, String(candidate.document.password))) return candidate
  }
  return undefined
}
