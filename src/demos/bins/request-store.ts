import { Readable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { allRecords, type NewRecord, type Step } from '../../stores/records/records.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { collectionNames as storeNames } from '../../stores/collection-names.ts'
import { toBytes } from '../../inspector/message-http.ts'
import type { Services } from '../../site/demo.ts'
import { createRequestId, toReceivedAt } from './bin-ids.ts'
import { maxShownBytes, toCapturedRequest, toRequestBody } from './captured-request.ts'
import type { CapturedRequest, RequestContent } from './captured-request.ts'
import { collectionNames } from './collections.ts'
import { createCaptureWriter, type Capture } from './write-captures.ts'

export interface NewCapture {
  bin: string
  request: Omit<RequestContent, 'requestBody'>
  /** Undefined if the request has no body. */
  body: { bytes: Buffer; size: number; isCut: boolean } | undefined
}

export type RequestStore = ReturnType<typeof createRequestStore>

const removedTogether = 100

export function createRequestStore({ records, files, config }: Services) {
  const requests = records.collection(collectionNames.requests)
  const remove = createRemoval({ records, files })
  const makeRoom = async () => {
    await remove(await requests.list(allRecords, { offset: 0, limit: removedTogether }))
  }
  const write = createCaptureWriter(records, makeRoom)
  const find = async (bin: string, id: string) => {
    const record = toReceivedAt(id) && (await requests.find(`${bin}-${id}`))
    return record && toCapturedRequest(record)
  }
  const count = (bin: string) => requests.count(toQuery(bin))
  const trim = async (bin: string) => {
    const excess = (await count(bin)) - config.binMaxRequests
    if (excess <= 0) return
    await remove(await requests.list(toQuery(bin), { offset: 0, limit: excess }))
  }
  const trimSometimes = createTrimming(config, trim)

  return {
    find,
    count,
    toFilters: (bin: string) => toQuery(bin).filters,
    index: () => requests.index(['bin']),
    /** False if the bin has been removed. */
    capture: async ({ bin, request, body }: NewCapture): Promise<boolean> => {
      const { capture, bytes } = toCapture({ bin, request, body })
      const { id } = capture.record
      if (bytes) {
        const saved = await files.save(id, Readable.from([bytes], { objectMode: false }))
        capture.file = { ...capture.record, document: { ...saved } }
      }
      const isWritten = await write(capture).catch(async (error: unknown) => {
        if (bytes) await files.remove(id)
        throw error
      })
      if (bytes) await (isWritten ? files.keep(id) : files.remove(id))
      await trimSometimes(bin)
      return isWritten
    },
    /** The newest, up to the limit, in the order of their times. */
    pages: async function* (bin: string, isDescending = false): AsyncGenerator<CapturedRequest[]> {
      const total = await count(bin)
      let excess = isDescending ? 0 : Math.max(0, total - config.binMaxRequests)
      let rest = config.binMaxRequests
      const sort = [{ field: 'createdAt', isDescending }]
      for await (const page of requests.pages({ ...toQuery(bin), sort })) {
        const kept = page.slice(excess).slice(0, rest)
        excess = Math.max(0, excess - page.length)
        rest -= kept.length
        yield kept.map(toCapturedRequest)
      }
    },
    readBody: async (bin: string, { id, requestBody, isInFile }: CapturedRequest) => {
      if (!isInFile || requestBody === undefined) return toBytes(requestBody)
      const content = await files.read(`${bin}-${id}`, 0, requestBody.size - 1)
      if (content === undefined) throw new Error(`the body of ${id} is missing`)
      return Buffer.concat(await content.toArray())
    },
    remove: async (bin: string, id: string): Promise<void> => {
      const record = await requests.find(`${bin}-${id}`)
      if (record) await remove([record])
    },
    removeAll: async (bin: string): Promise<void> => {
      const last = createRequestId()
      for (;;) {
        const some = await requests.list(toQuery(bin), { offset: 0, limit: removedTogether })
        const older = some.filter(({ id }) => id < `${bin}-${last}`)
        if (older.length === 0) return
        await remove(older)
      }
    },
  }
}

function toQuery(bin: string) {
  const filter = { field: 'bin', operator: 'eq', values: [bin] } as const
  return { filters: [filter], sort: [] }
}

function toCapture({ bin, request, body }: NewCapture): { capture: Capture; bytes?: Buffer } {
  const id = createRequestId()
  const { bytes = Buffer.alloc(0), size = 0, isCut = false } = body ?? {}
  const isLarge = bytes.length > maxShownBytes
  const shown = { size, isCut: isCut || isLarge }
  const requestBody = body && toRequestBody(bytes.subarray(0, maxShownBytes), shown)
  const isInFile = isLarge && !isCut
  const content = { ...request, ...(requestBody && { requestBody }) }
  const document = { bin, isInFile, request: [content] }
  const record = { id: `${bin}-${id}`, document, createdAt: toReceivedAt(id) ?? '' }
  return { capture: { bin, record }, ...(isInFile && { bytes }) }
}

/** The ids of the files are stored until the files are removed too, even if this is interrupted. */
function createRemoval({ records, files }: Pick<Services, 'records' | 'files'>) {
  const { requests: name, files: nameOfFiles } = collectionNames
  const orphanedFiles = records.collection(storeNames.orphanedFiles)
  const removeTogether = (ids: readonly string[], orphans: readonly NewRecord[]) => {
    const toVersions = (some: readonly string[]) => some.map((id) => ({ id }))
    const filed = orphans.map(({ id }) => id)
    const ofFiles: Step[] = [
      { collection: storeNames.orphanedFiles, kind: 'create', records: orphans },
      { collection: nameOfFiles, kind: 'remove', records: toVersions(filed) },
    ]
    const ofRequests: Step = { collection: name, kind: 'remove', records: toVersions(ids) }
    return records.commit(orphans.length > 0 ? [...ofFiles, ofRequests] : [ofRequests])
  }
  return async (removed: readonly StoredRecord[]): Promise<void> => {
    if (removed.length === 0) return
    const ids = removed.map(({ id }) => id)
    const filed = removed.filter(({ document }) => document.isInFile === true)
    const createdAt = new Date().toISOString()
    const orphans = filed.map(({ id }) => ({ id, document: {}, createdAt }))
    if ((await removeTogether(ids, orphans)) !== undefined) {
      // Another process has removed some of them.
      for (const orphan of orphans) {
        await orphanedFiles.create(orphan)
        await records.collection(nameOfFiles).remove(orphan.id)
      }
      for (const id of ids) await records.collection(name).remove(id)
    }
    for (const { id } of filed) {
      await files.remove(id)
      await orphanedFiles.remove(id)
    }
  }
}

/** Counting costs a query, so it is done after every tenth part of the limit. */
function createTrimming({ binMaxRequests }: Config, trim: (bin: string) => Promise<void>) {
  const every = Math.ceil(binMaxRequests / 10)
  const added = new Map<string, number>()
  const trimmed = new Set<string>()
  return async (bin: string): Promise<void> => {
    const count = (added.get(bin) ?? 0) + 1
    added.delete(bin)
    added.set(bin, count % every)
    // The longest unused: another process may have removed the bin.
    if (added.size > maxTrimmedBins) added.delete(added.keys().next().value ?? '')
    if (count < every || trimmed.has(bin)) return
    trimmed.add(bin)
    await trim(bin).finally(() => trimmed.delete(bin))
  }
}

const maxTrimmedBins = 10_000
