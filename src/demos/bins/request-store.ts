import { Readable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { maxRecordedBytes } from '../../config/limits.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { createId } from '../../stores/create-id.ts'
import { toBytes } from '../../exchanges/message-http.ts'
import { bytesToBody } from '../../exchanges/to-body.ts'
import { findByIds, readByIds } from '../../lists/select.ts'
import type { Services } from '../../site/demo.ts'
import { createExpiring } from '../../stores/expiring.ts'
import { collectionNames } from '../../stores/collection-names.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { binIdLength, toExpiry, requestIdToTime } from './bin-ids.ts'
import {
  toBack,
  toCaptured,
  toCorrected,
  type CapturedRequest,
  type Outcome,
  type RequestContent,
} from './captured-request.ts'
import { binCollections } from './collections.ts'
import type { RequestSearch } from './search.ts'
import { createCaptureWriter } from './write-captures.ts'

interface NewCapture {
  bin: string
  request: Omit<RequestContent, 'requestBody'>
  body: { bytes: Buffer; size: number; isCut: boolean } | undefined
}

export type RequestStore = ReturnType<typeof createRequestStore>

export function createRequestStore({ records, files, config }: Services) {
  const requests = records.collection(binCollections.requests)
  const remove = createRemoval({ records, files })
  const { removeSome } = createExpiring(requests, {
    toEnd: ({ id }) => toExpiry(id.slice(0, binIdLength))?.toISOString() ?? '',
    order: 'createdAt',
    remove,
  })
  const write = createCaptureWriter(records, removeSome)
  const count = (bin: string) => requests.count(toBinQuery(bin))
  const trim = createTrimming(config, async (bin) => {
    const excess = (await count(bin)) - config.binMaxRequests
    if (excess > 0) await remove(await requests.list(toBinQuery(bin), { offset: 0, limit: excess }))
  })

  /** Throws 404. */
  const load = async (bin: string, id: string): Promise<StoredRecord> => {
    const record = requestIdToTime(id) && (await requests.find(`${bin}-${id}`))
    if (record) return record
    throw notFound(`The bin has no request ${id}.`, toBack(bin))
  }

  return {
    find: async (bin: string, id: string) => toCaptured(await load(bin, id)),
    count,
    toFilters: (bin: string) => toBinQuery(bin).filters,
    index: () => requests.index(['bin']),
    /** Resolves with the id of its record, or undefined if the bin has been removed. */
    capture: async (capture: NewCapture): Promise<string | undefined> => {
      const { bin, record, bytes } = toRecord(capture)
      const { id } = record
      const saved = bytes && (await files.save(id, Readable.from([bytes], { objectMode: false })))
      const file = saved && { ...record, document: { ...saved } }
      let isWritten = false
      try {
        isWritten = await write({ bin, record, file })
      } finally {
        if (file) await (isWritten ? files.keep(id) : files.remove(id))
      }
      await trim(bin)
      return isWritten ? record.id : undefined
    },
    correct: async (id: string, outcome: Outcome): Promise<void> => {
      const record = await requests.find(id)
      if (record) await requests.change(toCorrected(record, outcome))
    },
    pages: async function* (bin: string, isDescending = false): AsyncGenerator<CapturedRequest[]> {
      const total = await count(bin)
      let excess = isDescending ? 0 : Math.max(0, total - config.binMaxRequests)
      let rest = config.binMaxRequests
      const sort = [{ field: 'createdAt', isDescending }]
      for await (const page of requests.pages({ ...toBinQuery(bin), sort })) {
        const kept = page.slice(excess).slice(0, rest)
        excess = Math.max(0, excess - page.length)
        rest -= kept.length
        yield kept.map(toCaptured)
      }
    },
    pagesOf: async function* (bin: string, ids: readonly string[]) {
      const find = (some: readonly string[]) => findByIds(requests, some)
      for await (const page of readByIds(
        ids.map((id) => `${bin}-${id}`),
        find,
      ))
        yield page.map(toCaptured)
    },
    readBody: async ({ bin, id, requestBody, isInFile }: CapturedRequest): Promise<Buffer> => {
      if (!isInFile || requestBody === undefined) return toBytes(requestBody)
      const content = await files.read(`${bin}-${id}`, 0, requestBody.size - 1)
      if (content === undefined) {
        // It may have been removed at the same time.
        await load(bin, id)
        throw new Error(`the body of ${id} is missing`)
      }
      return Buffer.concat(await content.toArray())
    },
    /** Throws 404. */
    remove: async (bin: string, id: string) => remove([await load(bin, id)]),
    removeAll: async (bin: string, isMatch?: RequestSearch['isMatch']): Promise<void> => {
      for await (const page of requests.pages(toBinQuery(bin))) {
        const matching: StoredRecord[] = []
        for (const record of page)
          if (!isMatch || (await isMatch(toCaptured(record)))) matching.push(record)
        if (matching.length > 0) await remove(matching)
      }
    },
  }
}

function toBinQuery(bin: string) {
  const filter = { field: 'bin', operator: 'eq', values: [bin] } as const
  return { filters: [filter], sort: [] }
}

/** A body that does not fit into the record is in a file. */
function toRecord({ bin, request, body }: NewCapture) {
  const id = createId()
  const { bytes = Buffer.alloc(0), size = 0, isCut = false } = body ?? {}
  const isLarge = bytes.length > maxRecordedBytes
  const shown = { size, isCut: isCut || isLarge }
  const requestBody = body && bytesToBody(bytes.subarray(0, maxRecordedBytes), shown)
  const isInFile = isLarge && !isCut
  const content = { ...request, ...(requestBody && { requestBody }) }
  const document = { bin, isInFile, request: [content] }
  const record = { id: `${bin}-${id}`, document, createdAt: requestIdToTime(id) ?? '' }
  return { bin, record, bytes: isInFile ? bytes : undefined }
}

/** The ids of the files are stored until the files are removed too, even if this is interrupted. */
function createRemoval({ records, files }: Pick<Services, 'records' | 'files'>) {
  const orphanedFiles = records.collection(collectionNames.orphanedFiles)
  return async function remove(removed: readonly StoredRecord[]): Promise<void> {
    const createdAt = new Date().toISOString()
    const orphans = removed
      .filter(({ document }) => document.isInFile === true)
      .map(({ id }) => ({ id, document: {}, createdAt }))
    if (orphans.length > 0) await files.check()
    const failed = await records.commit([
      { collection: collectionNames.orphanedFiles, kind: 'create', records: orphans },
      { collection: binCollections.files, kind: 'remove', records: orphans },
      {
        collection: binCollections.requests,
        kind: 'remove',
        records: removed.map(({ id }) => ({ id })),
      },
    ])
    // Another process has removed some of them, and their files.
    if (failed !== undefined && removed.length > 1)
      for (const record of removed) await remove([record])
    if (failed !== undefined) return
    for (const { id } of orphans) {
      await files.remove(id)
      await orphanedFiles.remove(id)
    }
  }
}

/** Counting costs a query, so it is done after every tenth part of the limit. */
function createTrimming({ binMaxRequests, maxBins }: Config, trim: (bin: string) => Promise<void>) {
  const every = Math.ceil(binMaxRequests / 10)
  const added = new Map<string, number>()
  return async (bin: string): Promise<void> => {
    const count = (added.get(bin) ?? 0) + 1
    // Other processes may have removed the bins.
    if (added.size > maxBins) added.clear()
    added.set(bin, count)
    if (count < every) return
    added.set(bin, -Infinity)
    await trim(bin).finally(() => added.set(bin, 0))
  }
}
