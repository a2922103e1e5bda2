interface CommandDescription {
  argument?: 'FILE' | 'N'
  /** For --help. */
  description: string
  /** Completes "vitrine: cannot …". */
  verb: string
}

export type CommandName = 'serve' | 'backup' | 'restore' | 'seed' | 'reset'

export const commands: Readonly<Record<CommandName, CommandDescription>> = {
  serve: { description: 'start the service (default)', verb: 'start' },
  backup: {
    argument: 'FILE',
    description: 'save all records and files to one file; the service may be running',
    verb: 'back up',
  },
  restore: {
    argument: 'FILE',
    description: 'replace all records and files with a backup; stop the service first',
    verb: 'restore',
  },
  seed: {
    argument: 'N',
    description: 'add N locations and N users; the service may be running',
    verb: 'seed',
  },
  reset: {
    description: 'remove all records, sessions and files; the service may be running',
    verb: 'reset',
  },
}

export interface Command {
  name: CommandName
  /** Empty if the command has none. */
  argument: string
}

const maxSeeds = 10_000_000

/** The arguments that are not flags. Throws an Error that names the problem. */
export function parseCommand(words: readonly string[]): Command {
  const [name = 'serve', argument = '', ...more] = words
  // The word is not printed: it may be the value of a setting whose flag is misspelled.
  if (!isCommand(name)) throw new Error('unknown command; see --help')
  const { argument: expected } = commands[name]
  const extra = expected === undefined ? words.slice(1) : more
  if (extra.length > 0) throw new Error(`too many arguments for ${name}`)
  if (expected === 'FILE' && argument === '') throw new Error(`${name} requires a FILE`)
  const isCount = /^\d{1,8}$/.test(argument) && +argument >= 1 && +argument <= maxSeeds
  if (expected === 'N' && !isCount) {
    throw new Error(`${name} requires a whole number from 1 to ${String(maxSeeds)}`)
  }
  return { name, argument }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}
