import { createHash, randomBytes } from 'node:crypto'
import type { House } from '../../room.ts'
import type { StoredRecord } from '../../storage/records/records.ts'
import { StoreFailure } from '../../storage/failure.ts'
import type { Session } from '../../storage/sessions/sessions.ts'

/** A session that holds, and whose it is. */
export interface Visit {
  session: Session
  user: StoredRecord
}

/** Starts a session for a user who has just proved to be one, and returns its id (256 bits). */
export async function startVisit(
  { sessions, config }: House,
  { id: userId, document }: StoredRecord,
): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  const now = Date.now()
  await sessions.create(toHash(id), {
    userId,
    passwordHash: String(document.password),
    createdAt: toTime(now),
    expiresAt: toTime(now + config.sessionMaxSeconds * 1000),
    idleUntil: toTime(now + config.sessionIdleSeconds * 1000),
  })
  return id
}

/**
 * The session of this id if it still holds, put off from becoming idle. It has ended when its time
 * is over, when its user is gone, and when the password is another.
 */
export async function findVisit(
  { sessions, records, config }: House,
  id: string,
): Promise<Visit | undefined> {
  const session = await sessions.find(toHash(id))
  if (session === undefined) return undefined
  const now = Date.now()
  const isOver = session.expiresAt <= toTime(now) || session.idleUntil <= toTime(now)
  const user = isOver ? undefined : await records.find('users', session.userId)
  if (user === undefined || user.document.password !== session.passwordHash) {
    await whereItTakesWrites(sessions.remove(toHash(id)))
    return undefined
  }
  const idleUntil = toTime(now + config.sessionIdleSeconds * 1000)
  const isTouched = await whereItTakesWrites(sessions.touch(toHash(id), idleUntil))
  return { session: isTouched ? { ...session, idleUntil } : session, user }
}

/** That a store takes no writes just now is no reason to say nothing; false when it does not. */
async function whereItTakesWrites(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof StoreFailure) return false
    throw error
  }
}

export async function endVisit({ sessions }: House, id: string): Promise<void> {
  await sessions.remove(toHash(id))
}

/** The server keeps the hash alone: whoever reads the database can be nobody with it. */
function toHash(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
