import type { Config } from '../config/config.ts'
import { maxCloseReasonBytes } from '../config/limits.ts'
import type { FieldProblem } from '../http/errors/http-error.ts'
import { parseConditions, type Condition } from './conditions.ts'
import { toMaxDelay } from './delay.ts'
import type { Description, ScriptStep } from './description.ts'

type Limits = Pick<Config, 'maxBodyBytes' | 'maxDurationSeconds'>

const kinds = ['send', 'wait', 'expect', 'close', 'drop'] as const

/** What is wrong with the script of a WebSocket. */
export function findScriptProblems(
  { websocket: steps, delay, ...others }: Description,
  limits: Limits,
): FieldProblem[] {
  if (steps === undefined) return []
  const field = 'websocket'
  const [other] = Object.keys(others).filter((name) => name !== 'times')
  if (other !== undefined) return [{ field: other, message: 'cannot be used with websocket' }]
  const waits = steps.reduce((sum, { wait = 0 }) => sum + wait, toMaxDelay(delay))
  if (waits > limits.maxDurationSeconds) {
    const most = `${String(limits.maxDurationSeconds)} seconds (MAX_DURATION_SECONDS)`
    return [{ field, message: `is too long: the script must take at most ${most}` }]
  }
  return steps.flatMap((step, index) =>
    findStepProblems(step, index === steps.length - 1, limits).map(({ inside = [], message }) => ({
      field,
      inside: [String(index), ...inside],
      message,
    })),
  )
}

type StepProblem = Pick<FieldProblem, 'inside' | 'message'>

function findStepProblems(step: ScriptStep, isLast: boolean, limits: Limits) {
  const given = kinds.filter((kind) => kind in step)
  const [kind, other] = given
  if (kind === undefined || other !== undefined)
    return [{ message: `must have one of ${kinds.slice(0, -1).join(', ')} and drop` }]
  const { close, reason = '', send, expect } = step
  const problems: StepProblem[] = []
  const fail = (isWrong: boolean, name: string, message: string) => {
    if (isWrong) problems.push({ inside: [name], message })
  }
  fail('reason' in step && kind !== 'close', 'reason', 'needs close')
  fail(
    close !== undefined && !isCloseCode(close),
    'close',
    'must be 1000 to 1014, except 1004 to 1006, or 3000 to 4999',
  )
  fail(
    Buffer.byteLength(reason) > maxCloseReasonBytes,
    'reason',
    `is longer than ${String(maxCloseReasonBytes)} bytes`,
  )
  fail((kind === 'close' || kind === 'drop') && !isLast, kind, 'must be the last step')
  const isLong = kind === 'send' && toMessage(send).length > limits.maxBodyBytes
  fail(isLong, 'send', 'is longer than MAX_BODY_BYTES')
  if (kind !== 'expect' || typeof expect === 'string') return problems
  const ofConditions = parseConditions(expect).problems.map(({ inside = [], message }) => ({
    inside: ['expect', ...inside],
    message,
  }))
  return [...problems, ...ofConditions]
}

/** RFC 6455 §7.4. */
const isCloseCode = (code: number) =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) ||
  (code >= 3000 && code <= 4999)

export const toMessage = (send: unknown): string =>
  typeof send === 'string' ? send : JSON.stringify(send)

/** A text is the whole message. */
export function toConditions(expect: unknown): readonly Condition[] {
  if (typeof expect !== 'string') return parseConditions(expect).conditions
  const isMet = (body: unknown) => body === expect
  return [{ name: 'body', expected: expect, parts: ['body'], isMet }]
}

/** The parts of each step that can be templates. */
export const listScriptTexts = ({ websocket = [] }: Description) =>
  websocket.map(({ send, reason, expect }) => ({
    ...(send !== undefined && { send }),
    ...(reason !== undefined && { reason }),
    ...(typeof expect === 'string' && { expect }),
  }))

/** Without a part of a character at its end. */
export function cutReason(reason: string): string {
  const bytes = Buffer.from(reason).subarray(0, maxCloseReasonBytes)
  return bytes.toString().replace(/\uFFFD$/, '')
}
