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

/** A session that holds, and whose it is. */
export interface ActiveSession {
  session: Session
  user: StoredRecord
}

/** An id that was given out (256 bits), and for how long a browser is to keep it. */
export interface IssuedId {
  id: string
  maxSeconds: number
}

/**
 * Starts a session for a user who has just proved to be one. `oldId` is what the client had until
 * now; it is not ended here.
 */
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

/**
 * Goes on with the session under another id, and ends the one of this id. Its latest end stays what
 * it was. Undefined when there is no such session, or no longer.
 */
export async function renewSession(
  services: SessionServices,
  oldId: string,
): Promise<IssuedId | undefined> {
  const visit = await findSession(services, oldId)
  if (visit === undefined) return undefined
  const id = createSessionId()
  const now = Date.now()
  const issue = toIssue('renewal', { now, oldId, newId: id })
  await services.sessions.create(toHash(id), { ...visit.session, issue })
  // Of a renewal and whatever else ends the session at the same time, one counts.
  if (!(await services.sessions.remove(toHash(oldId)))) {
    await services.sessions.remove(toHash(id))
    return undefined
  }
  return { id, maxSeconds: toMaxSeconds(visit.session.expiresAt, issue.issuedAt) }
}

/** For how long a browser is to keep an id that was given out then. */
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
    ...(oldId !== undefined && { oldId: toMasked(oldId) }),
    newId: toMasked(newId),
    issuedAt: toTime(now),
  }
}

/** The last four characters tell two ids apart; of the 256 bits they give away 24. */
function toMasked(id: string): string {
  return `******${id.slice(-4)}`
}

/**
 * The session of this id if it still holds, put off from becoming idle. It has ended when its time
 * is over, when its user is gone, and when the password is another.
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
    await withWritableStore(sessions.remove(toHash(id)))
    return undefined
  }
  const idleUntil = toTime(now + config.sessionIdleSeconds * 1000)
  const isTouched = await withWritableStore(sessions.touch(toHash(id), idleUntil))
  return { session: isTouched ? { ...session, idleUntil } : session, user }
}

/** That a store takes no writes just now is no reason to say nothing; false when it does not. */
async function withWritableStore(write: Promise<unknown>): Promise<boolean> {
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

/** The server keeps the hash alone: whoever reads the database can be nobody with it. */
function toHash(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
