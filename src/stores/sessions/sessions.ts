import type { XStatic } from 'typebox/schema'
import { hasRequired, idSchema, textSchema, timeSchema } from '../records/records.ts'

const issueSchema = {
  type: 'object',
  required: ['by', 'newId', 'issuedAt'],
  properties: {
    by: { enum: ['login', 'renewal'] },
    oldId: textSchema,
    newId: textSchema,
    issuedAt: timeSchema,
  },
} as const

export const storedSessionSchema = {
  type: 'object',
  required: ['userId', 'passwordHash', 'createdAt', 'expiresAt', 'idleUntil'],
  properties: {
    userId: idSchema,
    passwordHash: textSchema,
    createdAt: timeSchema,
    expiresAt: timeSchema,
    idleUntil: timeSchema,
    // Sessions of version 0.1.0 have none.
    issue: issueSchema,
  },
} as const

export type Session = XStatic<typeof storedSessionSchema>
export type SessionIssue = XStatic<typeof issueSchema>

export function isSession(value: unknown): value is Session {
  return hasRequired(value, storedSessionSchema)
}

export interface Sessions {
  create: (idHash: string, session: Session) => Promise<void>
  find: (idHash: string) => Promise<Session | undefined>
  touch: (idHash: string, idleUntil: string) => Promise<void>
  remove: (idHash: string) => Promise<boolean>
  clear: () => Promise<number>
  sweep: (now: string) => Promise<void>
}
