import { Socket } from 'node:net'
import { formatNumber } from '../config/format-count.ts'
import type { Config } from '../config/config.ts'
import { findNearest } from '../config/find-nearest.ts'
import type { SettingName } from '../config/settings.ts'
import { parseNetwork } from '../limits/block-list.ts'
import { serve } from './serve.ts'

export interface Command {
  argument?: 'FILE' | 'HAR FILE' | 'N' | 'BIN URL' | 'ADDRESS' | 'ACTION [NAME]'
  description: string
  settings?: readonly SettingName[]
  /** Completes "vitrine: cannot …". */
  verb: string
  run: (config: Config, argument: string, others: readonly string[]) => Promise<void>
}

const stores: readonly SettingName[] = ['databaseUrl', 'filesUrl']

export const commands = {
  serve: {
    description: 'start the service (default)',
    verb: 'start',
    run: async (config) => {
      if (config.untilStdinEnds) stopWithStdin()
      await serve(config)
    },
  },
  backup: {
    argument: 'FILE',
    description: 'save all records and files to one file; the service may be running',
    settings: stores,
    verb: 'back up',
    run: async (config, file) => (await import('./backup.ts')).backup(config, file),
  },
  restore: {
    argument: 'FILE',
    description: 'replace all records and files with a backup; stop the service first',
    settings: stores,
    verb: 'restore',
    run: async (config, file) => (await import('./restore.ts')).restore(config, file),
  },
  export: {
    argument: 'FILE',
    description:
      'write the records of a data file as JSON, to standard output if FILE is -; the service may be running',
    settings: ['dataFile', 'dataId', 'databaseUrl'],
    verb: 'export',
    run: async (config, file) => (await import('./export.ts')).exportData(config, file),
  },
  import: {
    argument: 'HAR FILE',
    description:
      'make a file of stubs from HAR, an HTTP Archive of a browser, a proxy or the request inspector',
    settings: ['maxUploadBytes'],
    verb: 'import',
    run: async (config, har, files) =>
      (await import('./import.ts')).importTraffic(config, har, files.join()),
  },
  seed: {
    argument: 'N',
    description:
      'add N locations and N users, or N of --resource, which needs @faker-js/faker; the service may be running',
    settings: ['dataFile', 'seedResource', 'seedNumber', ...stores],
    verb: 'seed',
    run: async (config, count) => {
      if (config.dataFile === undefined && config.seedResource === '')
        await (await import('./seed.ts')).seed(config, Number(count))
      else await (await import('./seed-resource.ts')).seedResource(config, Number(count))
    },
  },
  reset: {
    description: 'remove all records, sessions and files; the service may be running',
    settings: ['dataFile', 'redisUrl', ...stores],
    verb: 'reset',
    run: async (config) => (await import('./reset.ts')).reset(config),
  },
  block: {
    argument: 'ADDRESS',
    description:
      'respond with 403 to an address, or a network such as 203.0.113.0/24; running services read it within seconds',
    settings: ['dataFile', 'databaseUrl'],
    verb: 'block',
    run: async (config, address) => (await import('./block.ts')).block(config, address),
  },
  unblock: {
    argument: 'ADDRESS',
    description: 'end the block of an address or network',
    settings: ['dataFile', 'databaseUrl'],
    verb: 'unblock',
    run: async (config, address) => (await import('./block.ts')).unblock(config, address),
  },
  blocked: {
    description: 'list the blocked addresses and networks',
    settings: ['dataFile', 'databaseUrl'],
    verb: 'list',
    run: async (config) => (await import('./block.ts')).listBlocked(config),
  },
  sandboxes: {
    argument: 'ACTION [NAME]',
    description:
      'ACTION is list, show or delete: the sandboxes, or the one with this name; the service may be running',
    settings: ['dataFile', 'databaseUrl'],
    verb: 'read the sandboxes',
    run: async (config, action, [name]) =>
      (await import('./sandboxes.ts')).sandboxes(config, action, name),
  },
  forward: {
    argument: 'BIN URL',
    description: 'send the requests of a request bin, whose URL is BIN, to a local URL',
    settings: ['binSecret', 'binAfter', 'binOnly'],
    verb: 'forward',
    run: async (config, bin, urls) =>
      (await import('./forward.ts')).forward(config, [bin, ...urls]),
  },
} satisfies Record<string, Command>

const maxSeeds = 10_000_000
const sandboxActions = /^(?:list|(?:show|delete) [\da-f]{12})$/

export function parseCommand([name = 'serve', argument = '', ...more]: readonly string[]) {
  const all: [string, Command][] = Object.entries(commands)
  const command = all.find(([candidate]) => candidate === name)?.[1]
  // The word is not printed: it may be the value of a setting whose flag is misspelled.
  if (command === undefined) {
    const nearest = findNearest(name, Object.keys(commands))
    return {
      problem: `unknown command; ${nearest ? `did you mean ${nearest}? See` : 'see'} --help`,
    }
  }
  const { argument: expected } = command
  const isCount = /^\d{1,8}$/.test(argument) && +argument >= 1 && +argument <= maxSeeds
  const words = expected === undefined ? 0 : expected.split(' ').length
  if (more.length >= Math.max(words, 1) || (words === 0 && argument !== '')) {
    return { problem: `too many arguments for ${name}` }
  }
  const isOfSandboxes = expected === 'ACTION [NAME]'
  if (isOfSandboxes && !sandboxActions.test([argument, ...more].join(' ')))
    return { problem: `${name} requires list, show NAME or delete NAME, with a name of the list` }
  if (!isOfSandboxes && more.length < words - 1)
    return { problem: `${name} requires ${expected ?? ''}` }
  if (expected === 'FILE' && argument === '') return { problem: `${name} requires a FILE` }
  if (expected === 'ADDRESS' && parseNetwork(argument) === undefined) {
    return {
      problem: `${name} requires an IPv4 or IPv6 address, or a network such as 203.0.113.0/24`,
    }
  }
  if (expected !== 'N' || isCount) return { command, argument, others: more }
  return { problem: `${name} requires a whole number from 1 to ${formatNumber(maxSeeds)}` }
}

function stopWithStdin(): void {
  const { stdin, pid } = process
  const stop = () => {
    if (process.listenerCount('SIGTERM') === 0)
      console.error('vitrine: standard input ended during the start (--until-stdin-ends)')
    process.kill(pid, 'SIGTERM')
  }
  stdin.once('end', stop).resume()
  // Another signal would end a service that is already stopping at once.
  process.on('removeListener', (name) => {
    if (name === 'SIGTERM') stdin.off('end', stop)
  })
  // Otherwise an open pipe would delay the end by another signal.
  if (stdin instanceof Socket) stdin.unref()
}
