import { hasTexts } from '../has-texts.ts'

/** Times are ISO 8601 in UTC. */
export interface Session {
  userId: string
  /** The hash of the user's password at login: a new password ends the session. */
  passwordHash: string
  createdAt: string
  /** The absolute end. */
  expiresAt: string
  /** The end unless the session is used before. */
  idleUntil: string
  /** Unset in sessions of version 0.1.0. */
  issue?: SessionIssue
}

/** How the session id was issued. Ids are masked: enough to tell them apart. */
export interface SessionIssue {
  by: 'login' | 'renewal'
  /** Unset when the client had sent none. */
  oldId?: string
  newId: string
  issuedAt: string
}

export function isSession(value: unknown): value is Session {
  return hasTexts(value, ['userId', 'passwordHash', 'createdAt', 'expiresAt', 'idleUntil'])
}

/** Sessions by the hash of their id. Only the client has the id itself. */
export interface Sessions {
  create: (idHash: string, session: Session) => Promise<void>

  /** Includes ended sessions. */
  find: (idHash: string) => Promise<Session | undefined>

  /** Extends the idle time. Does nothing for an unknown session. */
  touch: (idHash: string, idleUntil: string) => Promise<void>

  /** False when there was none. */
  remove: (idHash: string) => Promise<boolean>

  /** Resolves with the number of removed sessions; sessions that begin meanwhile may remain. */
  clear: () => Promise<number>

  /** Removes the sessions that have ended by `now`. */
  sweep: (now: string) => Promise<void>
}
