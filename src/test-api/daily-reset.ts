import type { FastifyInstance } from 'fastify'
import { collectionNames } from '../stores/collection-names.ts'
import { hasTypes, type StoredRecord } from '../stores/records/records.ts'
import { sweepRegularly } from '../stores/sweep-regularly.ts'
import { resetAll } from './reset-all.ts'

/** The last time that was due, and whether the reset is done: otherwise a process has begun it. */
const dailyResetSchema = {
  type: 'object',
  required: ['dueAt', 'isDone'],
  properties: { dueAt: { type: 'string' }, isDone: { type: 'boolean' } },
} as const

const recordId = 'last'
const everySeconds = 5
const readAgainMs = 60_000
/** After this time, a process begins a reset again that failed, or whose process has ended. */
const retryMs = 600_000
const dayMs = 86_400_000

/**
 * Resets at RESET_AT, and at the start if no process did since. Of the processes of a database, the one that is the
 * first to change the record does it.
 */
export function resetDaily(
  app: FastifyInstance,
  ...[services, demos]: Parameters<typeof resetAll>
): void {
  const { resetAt } = services.config
  if (resetAt === undefined) return
  const collection = services.records.collection(collectionNames.dailyReset)
  const mark = (record: StoredRecord | undefined, dueAt: string, isDone: boolean) => {
    const [document, now] = [{ dueAt, isDone }, new Date().toISOString()]
    return record
      ? collection.change({ id: recordId, document, updatedAt: now, version: record.version })
      : collection.create({ id: recordId, document, createdAt: now })
  }
  let readAgainAt = ''
  const sweep = async (now: string) => {
    if (now < readAgainAt) return
    readAgainAt = addMs(now, readAgainMs)
    const dueAt = toLastDue(resetAt, now)
    const record = await collection.find(recordId)
    const last = hasTypes(record?.document, dailyResetSchema) ? record.document : undefined
    if (record === undefined) await mark(record, dueAt, true)
    else if (last?.isDone && last.dueAt >= dueAt) readAgainAt = addMs(dueAt, dayMs)
    else if (last?.dueAt === dueAt && now < addMs(record.updatedAt, retryMs)) return
    else if (await mark(record, dueAt, false)) {
      await resetAll(services, demos)
      await services.sandboxes.endAll()
      await mark({ ...record, version: record.version + 1 }, dueAt, true)
      app.log.info(`all records were reset (RESET_AT=${resetAt})`)
    }
  }
  sweepRegularly(app, { name: 'records (RESET_AT)', everySeconds, sweep })
}

const addMs = (iso: string, ms: number) => new Date(Date.parse(iso) + ms).toISOString()

/** The last time of the day `resetAt`, in UTC, that is not after `now`. */
function toLastDue(resetAt: string, now: string): string {
  const today = `${now.slice(0, 10)}T${resetAt}:00.000Z`
  return today <= now ? today : addMs(today, -dayMs)
}
