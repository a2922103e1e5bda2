import type { Config } from '../config/config.ts'
import { formatCount } from '../config/format-count.ts'
import {
  changeBlockedNetworks,
  parseNetwork,
  readBlockedNetworks,
  readEverySeconds,
} from '../limits/block-list.ts'
import { withRecords } from './with-records.ts'

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
