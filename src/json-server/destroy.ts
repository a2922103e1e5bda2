import { conflict } from '../http/errors/http-error.ts'
import { sendJson } from '../http/response/send.ts'
import { toRecordId, type Handler, type ResourceContext } from '../resources/context.ts'
import { assertFound } from '../resources/record/show.ts'
import { assertMayWrite, maxWriteAttempts } from '../resources/write/write.ts'
import type { Step, StoredRecord } from '../stores/records/records.ts'
import { toNames } from './list-request.ts'
import { findParameters } from './read.ts'
import { findReferring } from './relations.ts'
import { toShown, type JsonServer } from './server.ts'

/** In one transaction with the records that refer to it. */
export function destroy(server: JsonServer, context: ResourceContext): Handler {
  const { resource, collection } = context
  return async (request, reply) => {
    const id = toRecordId(resource, request)
    const dependents = toNames(findParameters(request)._dependent)
    for (let attempt = 1; attempt <= maxWriteAttempts; attempt += 1) {
      const record = assertFound(resource, id, await collection.find(id))
      assertMayWrite(request, context, record)
      const steps =
        server.version === '1'
          ? await toSteps1(server, { context, record, dependents })
          : await toSteps0(server, { context, record })
      const failed = await server.records.commit(steps)
      if (failed !== undefined) continue
      return sendJson(reply, server.version === '1' ? toShown(server, context, record) : {})
    }
    throw conflict(`Too many requests are changing ${id} at the same time.`)
  }
}

/** Other requests wait for the transaction. */
const maxRecords = 10_000

function assertFew(count: number): void {
  if (count > maxRecords) throw conflict('More than 10,000 records would be changed or deleted.')
}

interface Target {
  context: ResourceContext
  record: StoredRecord
}

function removeStep({ resource }: ResourceContext, records: readonly StoredRecord[]): Step {
  return { collection: resource.name, kind: 'remove', records }
}

/** 0.17 removes the records that refer to a removed one, and those that refer to them. */
async function toSteps0(server: JsonServer, { context, record }: Target): Promise<Step[]> {
  const lists = server.contexts.filter(({ resource }) => !resource.isSingular)
  const removed = new Map(lists.map((list) => [list, new Map<string, StoredRecord>()]))
  let count = 1
  removed.get(context)?.set(record.id, record)
  let level = new Map([[context, [record.id]]])
  while (level.size > 0) {
    const next = new Map<ResourceContext, string[]>()
    for (const [{ resource }, ids] of level) {
      const field = `${resource.singular}${server.config.foreignKeySuffix}`
      const values = ids.flatMap((id) => (String(Number(id)) === id ? [id, Number(id)] : [id]))
      for (const [list, known] of removed) {
        const found = await findReferring(list, field, values)
        const added = found.filter(({ id }) => !known.has(id))
        for (const child of added) known.set(child.id, child)
        assertFew((count += added.length))
        if (added.length > 0)
          next.set(list, [...(next.get(list) ?? []), ...added.map(({ id }) => id)])
      }
    }
    level = next
  }
  return [...removed].map(([list, records]) => removeStep(list, [...records.values()]))
}

/** 1 sets what refers to it to null, or removes it, if `_dependent` has its resource. */
async function toSteps1(
  server: JsonServer,
  { context, record, dependents }: Target & { dependents: readonly string[] },
): Promise<Step[]> {
  const steps = [removeStep(context, [record])]
  let count = 1
  const field = `${context.resource.singular}${server.config.foreignKeySuffix}`
  for (const children of server.contexts) {
    const { isSingular, name } = children.resource
    if (isSingular || name === context.resource.name) continue
    const referring = await findReferring(children, field, [record.id])
    assertFew((count += referring.length))
    const updatedAt = new Date().toISOString()
    const records = referring.map((child) => {
      return { ...child, updatedAt, document: { ...child.document, [field]: null } }
    })
    if (dependents.includes(name)) steps.push(removeStep(children, referring))
    else steps.push({ collection: name, kind: 'change', records })
  }
  return steps
}
