import { hash, randomBytes } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Collection, StoredRecord } from '../stores/records/records.ts'
import type { Session, SessionIssue, Sessions } from '../stores/sessions/sessions.ts'
import { StoreFailure } from '../stores/store-failure.ts'
import type { SessionCookie } from './session-cookie.ts'

export interface SessionServices {
  config: Config
  users: Collection
  sessions: Sessions
}

export type ActiveSession = NonNullable<Awaited<ReturnType<typeof continueSession>>>

export async function startSession(
  { sessions, config }: SessionServices,
  { id: userId, document }: StoredRecord,
  oldId: string | undefined,
): Promise<SessionCookie> {
  const session = {
    userId,
    passwordHash: String(document.password),
    createdAt: toTime(),
    expiresAt: toTime(config.sessionMaxSeconds),
    idleUntil: toTime(config.sessionIdleSeconds),
  }
  const old = oldId === undefined ? {} : { oldId: maskId(oldId) }
  const issue = { by: 'login', ...old, issuedAt: session.createdAt } as const
  const issued = await issueId(sessions, session, issue)
  if (oldId !== undefined) await sessions.remove(hashId(oldId))
  return issued
}

/** Replaces the session id. The expiry time stays. Undefined if the session has ended. */
export async function renewSession(services: SessionServices, oldId: string | undefined) {
  const active = await continueSession(services, oldId)
  if (active === undefined || oldId === undefined) return undefined
  const issue = { by: 'renewal', oldId: maskId(oldId), issuedAt: toTime() } as const
  const issued = await issueId(services.sessions, active.session, issue)
  if (await services.sessions.remove(hashId(oldId))) return issued
  // A concurrent logout or renewal has ended the session.
  await endSession(services, issued.id)
  return undefined
}

async function issueId(sessions: Sessions, session: Session, issued: Omit<SessionIssue, 'newId'>) {
  const id = randomBytes(32).toString('base64url')
  await sessions.create(hashId(id), { ...session, issue: { ...issued, newId: maskId(id) } })
  return { id, maxSeconds: toMaxSeconds(session.expiresAt, issued.issuedAt) }
}

const maskId = (id: string): string => `******${id.slice(-4)}`

export function toMaxSeconds(expiresAt: string, issuedAt: string): number {
  return Math.floor((Date.parse(expiresAt) - Date.parse(issuedAt)) / 1000)
}

/**
 * Extends the idle time. Ends a session that has expired, or whose user or password has changed. With READ_ONLY
 * it does neither.
 */
export async function continueSession(services: SessionServices, id: string | undefined) {
  const { sessions, users, config } = services
  const session = id === undefined ? undefined : await sessions.find(hashId(id))
  if (id === undefined || session === undefined) return undefined
  const isOver = session.expiresAt <= toTime() || session.idleUntil <= toTime()
  const user = isOver ? undefined : await users.find(session.userId)
  if (user === undefined || user.document.password !== session.passwordHash) {
    if (!config.readOnly) await sessions.remove(hashId(id)).catch(ignoreFailure)
    return undefined
  }
  const touched = config.readOnly ? session : await extendSession(services, id, session)
  const endsAt = touched.expiresAt < touched.idleUntil ? touched.expiresAt : touched.idleUntil
  return { session: touched, user, endsAt }
}

async function extendSession({ sessions, config }: SessionServices, id: string, session: Session) {
  const idleUntil = toTime(config.sessionIdleSeconds)
  const isStored = await sessions.touch(hashId(id), idleUntil).then(() => true, ignoreFailure)
  return isStored ? { ...session, idleUntil } : session
}

/** The session can be shown without the write. */
function ignoreFailure(error: unknown): false {
  if (error instanceof StoreFailure) return false
  throw error
}

export async function endSession({ sessions }: SessionServices, id: string): Promise<void> {
  await sessions.remove(hashId(id))
}

/** Only the hash is stored, so that a stolen database cannot be used to log in. */
const hashId = (id: string): string => hash('sha256', id)

export function toTime(secondsFromNow = 0): string {
  return new Date(Date.now() + secondsFromNow * 1000).toISOString()
}
