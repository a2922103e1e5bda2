interface CommandDescription {
  /** What it has to be followed by. */
  argument?: 'FILE' | 'N'
  /** What it does, for --help. */
  description: string
  /** Completes "vitrine: cannot …". */
  verb: string
}

export type CommandName = 'serve' | 'backup' | 'restore' | 'seed' | 'reset'

export const commands: Readonly<Record<CommandName, CommandDescription>> = {
  serve: { description: 'opens the service; so does no command at all', verb: 'start' },
  backup: {
    argument: 'FILE',
    description: 'saves all records and files as one file; the service may run',
    verb: 'back up',
  },
  restore: {
    argument: 'FILE',
    description: 'makes all records and files what they were in a backup; the service must not run',
    verb: 'restore',
  },
  seed: {
    argument: 'N',
    description: 'adds so many locations and users; the service may run',
    verb: 'seed',
  },
  reset: {
    description: 'removes all records, sessions and files; the service may run',
    verb: 'reset',
  },
}

export interface Command {
  name: CommandName
  /** Empty where the command has none. */
  argument: string
}

const maxSeeds = 10_000_000

/** What was asked for besides flags; throws an Error that says what is wrong with it. */
export function parseCommand(words: readonly string[]): Command {
  const [name = 'serve', argument = '', ...more] = words
  // No word is repeated: it may be the value of a setting whose flag is wrong.
  if (!isCommand(name)) throw new Error('this is no flag and no command; see --help')
  const { argument: expected } = commands[name]
  const [superfluous] = expected === undefined ? words.slice(1) : more
  if (superfluous !== undefined) throw new Error(`${name} takes no more words`)
  if (expected === 'FILE' && argument === '') throw new Error(`${name} needs a FILE`)
  const isCount = /^\d{1,8}$/.test(argument) && +argument >= 1 && +argument <= maxSeeds
  if (expected === 'N' && !isCount) {
    throw new Error(`${name} needs a whole number from 1 to ${String(maxSeeds)}`)
  }
  return { name, argument }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}
