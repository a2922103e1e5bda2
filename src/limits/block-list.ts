import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import type { XStatic } from 'typebox/schema'
import type { Config } from '../config/config.ts'
import { HttpError } from '../http/errors/http-error.ts'
import { parseAddress } from '../http/request/client-address.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { hasTypes, textSchema, type Records, type StoredRecord } from '../stores/records/records.ts'
import { StoreFailure } from '../stores/store-failure.ts'
import { createNetworkCheck, createProxyCheck, findClient, toGroups } from './limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The error for each request of a blocked client. */
    findBlock: (raw: IncomingMessage) => HttpError | undefined
  }
}

/** The time of the block by network. One record has all, so that a process reads them at once. */
export const blockListSchema = {
  type: 'object',
  required: ['networks'],
  properties: { networks: { type: 'object', additionalProperties: textSchema } },
} as const

export type BlockedNetworks = XStatic<typeof blockListSchema>['networks']

const recordId = 'networks'
const maxAttempts = 20
export const readEverySeconds = 1

/** `read` is called regularly, because other processes change the list. */
export function openBlockList(config: Config, records: Records) {
  const isProxy = createProxyCheck(config)
  const collection = records.collection(collectionNames.blockList)
  let known: StoredRecord | undefined
  let check: ReturnType<typeof createNetworkCheck> | undefined
  return {
    read: async () => {
      const record = await collection.find(recordId)
      if (record?.version === known?.version && record?.updatedAt === known?.updatedAt) return
      known = record
      const networks = Object.keys(toNetworks(record))
      check = networks.length > 0 ? createNetworkCheck(networks) : undefined
    },
    findError: (raw: IncomingMessage): HttpError | undefined =>
      check?.(parseAddress(findClient(raw, isProxy))) ? blocked() : undefined,
  }
}

const blocked = () =>
  new HttpError(
    'blocked-client',
    'The operator of this service has blocked the network of this client.',
  )

export async function readBlockedNetworks(records: Records): Promise<BlockedNetworks> {
  return toNetworks(await records.collection(collectionNames.blockList).find(recordId))
}

/** `change` is called again if another process has changed the list meanwhile. */
export async function changeBlockedNetworks(
  records: Records,
  change: (networks: BlockedNetworks) => BlockedNetworks,
): Promise<void> {
  const collection = records.collection(collectionNames.blockList)
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const record = await collection.find(recordId)
    const document = { networks: change(toNetworks(record)) }
    const now = new Date().toISOString()
    const isChanged = record
      ? await collection.change({ id: recordId, version: record.version, document, updatedAt: now })
      : await collection.create({ id: recordId, document, createdAt: now })
    if (isChanged) return
  }
  throw new StoreFailure('unavailable', 'other processes change the blocked networks')
}

function toNetworks(record: StoredRecord | undefined): BlockedNetworks {
  const { document } = record ?? {}
  return hasTypes(document, blockListSchema) ? document.networks : {}
}

/**
 * The network with its other bits set to 0: `10.1.2.3/8` → `10.0.0.0/8`. An address is that of a client: an IPv4
 * address, or an IPv6 /64 network. Undefined for other texts, and for /0, which is everyone.
 */
export function parseNetwork(text: string): string | undefined {
  const [, given = '', length] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  if (isIPv4(given)) return maskIPv4(given, Number(length ?? 32))
  if (!isIPv6(given)) return undefined
  const groups = toGroups(given).map((group) => parseInt(group, 16))
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) {
    const bytes = [high >> 8, high & 0xff, low >> 8, low & 0xff]
    return maskIPv4(bytes.join('.'), Number(length ?? 128) - 96)
  }
  const bits = Number(length ?? 64)
  if (bits < 1 || bits > 128) return undefined
  const masked = mask(groups, 16, bits).map((group) => group.toString(16))
  return `${new URL(`http://[${masked.join(':')}]`).hostname.slice(1, -1)}/${String(bits)}`
}

function maskIPv4(address: string, bits: number): string | undefined {
  if (bits < 1 || bits > 32) return undefined
  const masked = mask(address.split('.').map(Number), 8, bits).join('.')
  return bits === 32 ? masked : `${masked}/${String(bits)}`
}

function mask(parts: readonly number[], width: number, bits: number): number[] {
  return parts.map((part, index) => {
    const dropped = Math.min(Math.max((index + 1) * width - bits, 0), width)
    return (part >> dropped) << dropped
  })
}
