import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { createRecord } from './resources.ts'

export const ann = { name: 'Ann', password: 'correct horse' }

/** The JSON of `GET /session`. */
export interface ShownSession {
  authenticated: boolean
  user?: { _id: string; name: string }
  createdAt?: string
  expiresAt?: string
}

/** The one Set-Cookie of a response, as the client sends it back; undefined when there is none. */
export function cookieOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const { 'set-cookie': field } = headers
  const [cookie, ...others] = field === undefined ? [] : [field].flat()
  assert.deepEqual(others, [])
  return typeof cookie === 'string' ? cookie.split(';')[0] : undefined
}

/** Logs in with JSON and gives the cookie. */
export async function logIn(
  app: FastifyInstance,
  { name: username, password } = ann,
  headers: Record<string, string> = {},
): Promise<string> {
  const payload = { username, password }
  const response = await app.inject({ method: 'POST', url: '/login', headers, payload })
  assert.equal(response.statusCode, 200, response.body)
  return cookieOf(response.headers) ?? assert.fail('there is no cookie')
}

/** Creates the user and logs in. */
export async function enter(app: FastifyInstance, user = ann) {
  const { _id } = await createRecord(app, '/users', user)
  return { _id, cookie: await logIn(app, user) }
}

export async function readSession(app: FastifyInstance, cookie?: string): Promise<ShownSession> {
  const headers = { accept: 'application/json', ...(cookie !== undefined && { cookie }) }
  const response = await app.inject({ url: '/session', headers })
  assert.equal(response.statusCode, 200, response.body)
  return response.json<ShownSession>()
}

export async function isLoggedIn(app: FastifyInstance, cookie: string): Promise<boolean> {
  return (await readSession(app, cookie)).authenticated
}
