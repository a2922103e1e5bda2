import type { Config } from '../config/config.ts'
import { formatCount } from '../config/format-count.ts'
import {
  changeBlockedNetworks,
  parseNetwork,
  readBlockedNetworks,
  readEverySeconds,
} from '../limits/block-list.ts'
import { openRecords } from '../stores/open-stores.ts'
import type { Records } from '../stores/records/records.ts'
import { assertNotInMemory } from './format.ts'

/** A process compares each request with all of them. */
const maxNetworks = 1000

export async function block(config: Config, address: string): Promise<void> {
  const network = parseNetwork(address) ?? ''
  await withRecords(config, (records) =>
    changeBlockedNetworks(records, (networks) => {
      if (Object.keys(networks).length >= maxNetworks && networks[network] === undefined)
        throw new Error(`${formatCount(maxNetworks, 'network')} are blocked, the maximum`)
      return { [network]: new Date().toISOString(), ...networks }
    }),
  )
  const when = `Running services respond to it with 403 within ${String(readEverySeconds)} s`
  console.log(`Blocked ${network}. ${when}`)
}

export async function unblock(config: Config, address: string): Promise<void> {
  const network = parseNetwork(address) ?? ''
  await withRecords(config, (records) =>
    changeBlockedNetworks(records, ({ [network]: blockedAt, ...others }) => {
      if (blockedAt === undefined)
        throw new Error(`${network} is not blocked; vitrine blocked lists what is`)
      return others
    }),
  )
  console.log(`Unblocked ${network}`)
}

export async function listBlocked(config: Config): Promise<void> {
  const networks = await withRecords(config, readBlockedNetworks)
  for (const [network, blockedAt] of Object.entries(networks)) console.log(network, blockedAt)
}

/** A full database can still block the client that filled it. */
async function withRecords<Result>(
  config: Config,
  run: (records: Records) => Promise<Result>,
): Promise<Result> {
  assertNotInMemory(config.databaseUrl)
  const limits = { maxRecords: undefined, maxDatabaseBytes: undefined }
  const { records, close } = await openRecords({ ...config, ...limits })
  try {
    return await run(records)
  } finally {
    await close()
  }
}
