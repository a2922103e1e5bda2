import { createHash, randomBytes } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Collection, StoredRecord } from '../stores/records/records.ts'
import { StoreFailure } from '../stores/store-failure.ts'
import type { Session, SessionIssue, Sessions } from '../stores/sessions/sessions.ts'

export interface SessionServices {
  config: Config
  users: Collection
  sessions: Sessions
}

export interface ActiveSession {
  session: Session
  user: StoredRecord
}

/** `maxSeconds` is the lifetime of the cookie. */
export interface IssuedId {
  id: string
  maxSeconds: number
}

/** `oldId` is the previous session id of the client; that session is not ended here. */
export async function startSession(
  { sessions, config }: SessionServices,
  { id: userId, document }: StoredRecord,
  oldId: string | undefined,
): Promise<IssuedId> {
  const id = createSessionId()
  const now = Date.now()
  await sessions.create(toHash(id), {
    userId,
    passwordHash: String(document.password),
    createdAt: toTime(now),
    expiresAt: toTime(now + config.sessionMaxSeconds * 1000),
    idleUntil: toTime(now + config.sessionIdleSeconds * 1000),
    issue: toIssue('login', { now, oldId, newId: id }),
  })
  return { id, maxSeconds: config.sessionMaxSeconds }
}

/** Replaces the session id. The expiry time stays. Undefined if the session has ended. */
export async function renewSession(
  services: SessionServices,
  oldId: string,
): Promise<IssuedId | undefined> {
  const active = await findSession(services, oldId)
  if (active === undefined) return undefined
  const id = createSessionId()
  const now = Date.now()
  const issue = toIssue('renewal', { now, oldId, newId: id })
  await services.sessions.create(toHash(id), { ...active.session, issue })
  // A concurrent logout or renewal may have ended the session.
  if (!(await services.sessions.remove(toHash(oldId)))) {
    await services.sessions.remove(toHash(id))
    return undefined
  }
  return { id, maxSeconds: toMaxSeconds(active.session.expiresAt, issue.issuedAt) }
}

/** The lifetime of a cookie that is set at `issuedAt`. */
export function toMaxSeconds(expiresAt: string, issuedAt: string): number {
  return Math.floor((Date.parse(expiresAt) - Date.parse(issuedAt)) / 1000)
}

function createSessionId(): string {
  return randomBytes(32).toString('base64url')
}

function toIssue(
  by: SessionIssue['by'],
  { now, oldId, newId }: { now: number; oldId: string | undefined; newId: string },
): SessionIssue {
  return {
    by,
    ...(oldId !== undefined && { oldId: maskId(oldId) }),
    newId: maskId(newId),
    issuedAt: toTime(now),
  }
}

/** Four characters reveal 24 of the 256 bits. */
function maskId(id: string): string {
  return `******${id.slice(-4)}`
}

/**
 * Extends the idle time. Sessions end when they expire, when the user is removed and when the
 * password changes.
 */
export async function findSession(
  { sessions, users, config }: SessionServices,
  id: string,
): Promise<ActiveSession | undefined> {
  const session = await sessions.find(toHash(id))
  if (session === undefined) return undefined
  const now = Date.now()
  const isOver = session.expiresAt <= toTime(now) || session.idleUntil <= toTime(now)
  const user = isOver ? undefined : await users.find(session.userId)
  if (user === undefined || user.document.password !== session.passwordHash) {
    await tryWrite(sessions.remove(toHash(id)))
    return undefined
  }
  const idleUntil = toTime(now + config.sessionIdleSeconds * 1000)
  const isTouched = await tryWrite(sessions.touch(toHash(id), idleUntil))
  return { session: isTouched ? { ...session, idleUntil } : session, user }
}

/** The session can be shown without the write. False if the store is unavailable. */
async function tryWrite(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof StoreFailure) return false
    throw error
  }
}

export async function endSession({ sessions }: SessionServices, id: string): Promise<void> {
  await sessions.remove(toHash(id))
}

/** Only the hash is stored, so that a stolen database cannot be used to log in. */
function toHash(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
