import type { XStatic } from 'typebox/schema'
import { hasTypes, idSchema, isId, textSchema, timeSchema } from '../records/records.ts'

const issueSchema = {
  type: 'object',
  required: ['by', 'newId', 'issuedAt'],
  properties: {
    by: { type: 'string', enum: ['login', 'renewal'] },
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
    issue: issueSchema,
  },
} as const

export type Session = XStatic<typeof storedSessionSchema>
export type SessionIssue = XStatic<typeof issueSchema>

/** Other clients of Redis can store anything. */
export function isSession(value: unknown): value is Session {
  if (!hasTypes(value, storedSessionSchema) || !isId(value.userId)) return false
  const { createdAt, expiresAt, idleUntil, issue } = value
  const times = [createdAt, expiresAt, idleUntil, issue?.issuedAt ?? createdAt]
  return times.every(isTime) && (issue === undefined || /^\*{6}[\w-]{4}$/.test(issue.newId))
}

const timeFormat = new RegExp(timeSchema.pattern)
const isTime = (text: string) => timeFormat.test(text) && !Number.isNaN(Date.parse(text))

export interface Sessions {
  create: (idHash: string, session: Session) => Promise<void>
  find: (idHash: string) => Promise<Session | undefined>
  touch: (idHash: string, idleUntil: string) => Promise<void>
  remove: (idHash: string) => Promise<boolean>
  clear: () => Promise<number>
  sweep: (now: string) => Promise<unknown>
}
