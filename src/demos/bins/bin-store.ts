import { formatNumber } from '../../config/format-count.ts'
import { findJson } from '../../config/find-json.ts'
import { isObject } from '../../config/is-object.ts'
import type { XStatic } from 'typebox/schema'
import type { Config } from '../../config/config.ts'
import { HttpError, notFound } from '../../http/errors/http-error.ts'
import { hasTypes, type Collection, type Records } from '../../stores/records/records.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { toClientShare } from '../../config/client-share.ts'
import { limitReached, StoreFailure } from '../../stores/store-failure.ts'
import { createBinId, createSecret, hashSecret, isExpired, toExpiry } from './bin-ids.ts'
import { binSchema, binCollections } from './collections.ts'
import type { Services } from '../../site/demo.ts'
import type { RequestStore } from './request-store.ts'
import { performance } from '../../timers.ts'

export interface Bin extends Omit<XStatic<typeof binSchema>, 'isRemoved'> {
  id: string
  name: string
  version: number
  createdAt: string
  expiresAt: string
}

export type BinChange = Partial<Pick<Bin, 'name' | 'response'>>

export const binsPage = ['/bins', 'Request bins'] as const

export const defaultResponse = JSON.stringify({ status: 200, json: { ok: true } })
const daySeconds = 86_400
const maxAttempts = 20
/** More of them, after a change of MAX_BINS, would take long. */
const maxRemoved = 20
const listAgainMs = 10_000

export type BinStore = ReturnType<typeof createBinStore>

export function createBinStore(
  { records, sandboxes }: Pick<Services, 'records' | 'sandboxes'>,
  requests: RequestStore,
  config: Config,
) {
  const bins = records.collection(binCollections.bins)
  const unused = createUnused(bins, requests)
  const remove = (record: StoredRecord) => removeBin(record, records, requests)
  const isOwn = async ({ document }: StoredRecord) =>
    document.place === (await sandboxes.findPlace())
  const maxOfClient = toClientShare(config.maxBins, config)
  const assertShare = async () => {
    const places = await sandboxes.findPlacesOfClient()
    if (places.length === 0) return
    const filters = [{ field: 'place', operator: 'eq', values: places }] as const
    if ((await bins.count({ filters, sort: [] })) < maxOfClient) return
    const count = formatNumber(maxOfClient)
    throw limitReached(`This client has ${count} request bins, its part of the maximum (MAX_BINS).`)
  }
  let creating: Promise<unknown> = Promise.resolve()

  async function create({ response = defaultResponse, name = '' }: BinChange) {
    await assertShare()
    const excess = (await bins.count()) - config.maxBins + 1
    for (let removed = 0; removed < Math.min(excess, maxRemoved); removed += 1) {
      const oldest = await unused.find()
      if (oldest === undefined)
        throw limitReached(
          `There are ${formatNumber(config.maxBins)} request bins, the maximum (MAX_BINS).`,
        )
      await remove(oldest)
    }
    const id = createBinId(new Date(Date.now() + config.binDays * daySeconds * 1000))
    const secret = createSecret()
    const secretHash = hashSecret(secret)
    const place = await sandboxes.claimPlace()
    const document = { secretHash, response, name, isRemoved: false, ...(place && { place }) }
    const createdAt = now()
    await bins.create({ id, document, createdAt })
    if (excess > 0) unused.add(id)
    return { ...parseBin({ id, document, createdAt, version: 1 }), secret }
  }

  return {
    /** Bins are created one after another, because each counts those before it. */
    create: (given: BinChange) => {
      const created = creating.then(() => create(given))
      creating = created.catch(() => undefined)
      return created
    },
    /** Of the sandbox of the request; `anywhere` for a request that is captured. */
    find: async (id: string, anywhere = false): Promise<Bin> => {
      if (isExpired(id)) {
        const detail = 'This bin has expired. Its requests have been removed.'
        throw new HttpError('gone', detail, { back: binsPage })
      }
      const record = toExpiry(id) && (await bins.find(id))
      if (record === undefined || record.document.isRemoved === true) throw noBin(id)
      if (!anywhere && !(await isOwn(record))) throw noBin(id)
      return parseBin(record)
    },
    has: async (id: string): Promise<boolean> => {
      const record = isExpired(id) ? undefined : await bins.find(id)
      return record !== undefined && record.document.isRemoved !== true
    },
    list: async (ids: readonly string[]): Promise<Bin[]> => {
      const filters = [{ field: '_id', operator: 'eq', values: ids }] as const
      const part = { offset: 0, limit: ids.length }
      const found = await bins.list({ filters, sort: [] }, part)
      const place = await sandboxes.findPlace()
      return found.filter(({ document }) => document.place === place).map(parseBin)
    },
    /** Returns false if the bin was changed or removed at the same time. */
    change: ({ id, version, secretHash, response, name, place }: Bin): Promise<boolean> => {
      const document = { secretHash, response, name, isRemoved: false, ...(place && { place }) }
      return bins.change({ id, version, document, updatedAt: now() })
    },
    remove: async (id: string): Promise<void> => {
      const record = await bins.find(id)
      if (record) await remove(record)
    },
    removeOfPlace: async (place: string): Promise<void> => {
      const filters = [{ field: 'place', operator: 'eq', values: [place] }] as const
      for await (const page of bins.pages({ filters, sort: [] }))
        for (const record of page) await remove(record)
    },
    sweep: async (): Promise<void> => {
      for await (const page of bins.pages()) {
        const gone = page.filter(({ id, document }) => document.isRemoved === true || isExpired(id))
        for (const record of gone) await remove(record)
      }
    },
  }
}

/** First marked, so that its requests do not grow while they are removed. */
async function removeBin(
  { id, version, document }: StoredRecord,
  records: Records,
  requests: RequestStore,
): Promise<void> {
  const bins = records.collection(binCollections.bins)
  await bins.change({ id, version, document: { ...document, isRemoved: true }, updatedAt: now() })
  const last = [
    { collection: binCollections.bins, kind: 'remove', records: [{ id }] },
    { collection: binCollections.requests, kind: 'none', filters: requests.toFilters(id) },
  ] as const
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    await requests.removeAll(id)
    // Fails after a capture that had begun before, or if another process has removed the bin.
    if ((await records.commit(last)) === undefined || !(await bins.find(id))) return
  }
}

function createUnused(bins: Collection, requests: RequestStore) {
  const ids: string[] = []
  let listing: Promise<void> | undefined
  let listAgainAt = 0
  const list = async () => {
    for await (const page of bins.pages()) ids.push(...page.map(({ id }) => id))
  }
  return {
    add: (id: string) => ids.push(id),
    /** Each is counted once until all are listed again. */
    find: async (): Promise<StoredRecord | undefined> => {
      if (ids.length === 0 && performance.now() >= listAgainAt) {
        listAgainAt = performance.now() + listAgainMs
        listing = list()
      }
      await listing
      for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
        const record = await bins.find(id)
        if (record && (await requests.count(id)) === 0) return record
      }
      return undefined
    },
  }
}

const noBin = (id: string) => notFound(`There is no bin with the id ${id}.`, binsPage)

const now = () => new Date().toISOString()

const isResponse = (value: unknown) =>
  isObject(value) || (Array.isArray(value) && value.length > 0 && value.every(isObject))

type BinRecord = Pick<StoredRecord, 'id' | 'document' | 'createdAt' | 'version'>

function parseBin({ id, document, createdAt, version }: BinRecord): Bin {
  if (!hasTypes(document, binSchema) || !isResponse(findJson(document.response)))
    throw new StoreFailure('unavailable', `${id} has a damaged record`)
  const { secretHash, response, name = '', place } = document
  const expiresAt = toExpiry(id)?.toISOString() ?? createdAt
  return { id, version, createdAt, expiresAt, secretHash, response, name, ...(place && { place }) }
}
