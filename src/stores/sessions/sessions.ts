import { hasTexts } from '../records/records.ts'

export interface Session {
  userId: string
  passwordHash: string
  createdAt: string
  expiresAt: string
  idleUntil: string
  /** Unset in sessions of version 0.1.0. */
  issue?: SessionIssue
}

export interface SessionIssue {
  by: 'login' | 'renewal'
  oldId?: string
  newId: string
  issuedAt: string
}

export function isSession(value: unknown): value is Session {
  return hasTexts(value, ['userId', 'passwordHash', 'createdAt', 'expiresAt', 'idleUntil'])
}

export interface Sessions {
  create: (idHash: string, session: Session) => Promise<void>
  find: (idHash: string) => Promise<Session | undefined>
  touch: (idHash: string, idleUntil: string) => Promise<void>
  remove: (idHash: string) => Promise<boolean>
  clear: () => Promise<number>
  sweep: (now: string) => Promise<void>
}
