/** What the server knows of one visitor who is logged in. Times are ISO 8601 in UTC. */
export interface Session {
  userId: string
  /** The hash of the user's password at login: another one ends the session. */
  passwordHash: string
  createdAt: string
  /** When it ends at the latest. */
  expiresAt: string
  /** When it ends unless it is used before. */
  idleUntil: string
  /** How the id of it was given out; unset of one that an older version has stored. */
  issue?: SessionIssue
}

/** What changed on the wire when an id was given out. Ids are masked: enough to tell them apart. */
export interface SessionIssue {
  by: 'login' | 'renewal'
  /** Unset when the client had sent none. */
  oldId?: string
  newId: string
  issuedAt: string
}

/** Sessions by the hash of their id. The id itself is only ever with the visitor. */
export interface Sessions {
  create: (idHash: string, session: Session) => Promise<void>

  /** As it was stored, ended or not. */
  find: (idHash: string) => Promise<Session | undefined>

  /** Puts off the idle end. Does nothing when there is none. */
  touch: (idHash: string, idleUntil: string) => Promise<void>

  /** False when there was none. */
  remove: (idHash: string) => Promise<boolean>

  /** Removes all; those that begin meanwhile may stay. Resolves with how many there were. */
  clear: () => Promise<number>

  /** Removes all that have ended by `now`. */
  sweep: (now: string) => Promise<void>
}
