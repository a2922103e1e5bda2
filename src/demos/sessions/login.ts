import type { FastifyRequest } from 'fastify'
import { unprocessable, unsupportedMediaType } from '../../http/errors/http-error.ts'
import { compileLater } from '../../http/body/json-schema.ts'
import { hasBody, isFieldsType, toMediaType } from '../../http/body/body-reader.ts'
import { verifyPassword } from '../../auth/passwords.ts'
import type { Collection, RecordQuery, StoredRecord } from '../../stores/records/records.ts'

/** Seed, "login credentials". */
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

/** Throws 415 for content that is neither form nor JSON, 422 naming what is missing. */
export function parseCredentials(request: FastifyRequest): Credentials {
  const body: unknown = Object(request.body)
  if (hasBody(request.raw) && !isFieldsType(toMediaType(request.headers['content-type']))) {
    throw unsupportedMediaType('A login is read from a form or JSON.', {
      'accept-post': 'application/json, application/x-www-form-urlencoded',
    })
  }
  if (credentials().Check(body)) return body
  const given = body as Partial<Record<string, unknown>>
  throw unprocessable(
    ['username', 'password']
      .filter((field) => typeof given[field] !== 'string')
      .map((field) => ({
        field,
        message: given[field] === undefined ? 'is required' : 'must be text',
      })),
  )
}

/** So many users of one name are tried; names need not be unique. */
const maxCandidates = 16

/**
 * The user whose name and password both match, the newest of several. For a name that nobody has, a
 * password is checked all the same, so that the time says nothing.
 */
export async function findUser(
  users: Collection,
  { username, password }: Credentials,
): Promise<StoredRecord | undefined> {
  const query: RecordQuery = {
    filters: [{ field: 'name', operator: 'eq', values: [username] }],
    sort: [{ field: 'createdAt', isDescending: true }],
  }
  const candidates = await users.list(query, { offset: 0, limit: maxCandidates })
  if (candidates.length === 0) await verifyPassword(password, undefined)
  for (const candidate of candidates) {
    if (await verifyPassword(password, String(candidate.document.password))) return candidate
  }
  return undefined
}
