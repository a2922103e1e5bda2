import { parseArgs } from 'node:util'
import { commands, parseCommand } from './commands.ts'
import { loadConfig } from '../config/config.ts'
import { describeDefault, settingNames, settings } from '../config/settings.ts'
import { toEnvironmentName, toFlagName } from '../config/settings.ts'

export function parseCommandLine(args: string[], demoNames: readonly string[]) {
  const { values, words, problems } = parseFlags(args)
  const { command = commands.serve, argument = '', problem } = parseCommand(words)
  if (problem !== undefined) problems.push(problem)
  const config = loadConfig({ ...process.env, ...values }, demoNames, problems)
  return { verb: command.verb, run: () => command.run(config, argument) }
}

function parseFlags(args: string[]) {
  const names = new Map(settingNames.map((name) => [toFlagName(name), toEnvironmentName(name)]))
  const options = Object.fromEntries([...names.keys()].map((flag) => [flag, string]))
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true })
  const problems = new Set<string>()
  const words: string[] = []
  const values: Record<string, string> = {}
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1]
    if (token.kind === 'option') {
      const name = names.get(token.name)
      if (name === undefined) problems.add(toUnknownFlag(token.rawName))
      else if (token.value === undefined) problems.add(`${token.rawName} requires a value`)
      else values[name] = token.value
    } else if (token.kind === 'positional') {
      const isValue = previous?.kind === 'option' && previous.value === undefined
      if (!isValue) words.push(token.value)
    }
  }
  return { values, words, problems: [...problems] }
}

const string = { type: 'string' } as const

/** After a single hyphen, each letter is an option, also those of a value, which may be secret. */
function toUnknownFlag(name: string): string {
  if (/^--[\w-]+$/.test(name)) return `unknown flag ${name}; see --help`
  return 'flags start with two hyphens; see --help'
}

export function helpText(): string {
  const commandLines = Object.entries(commands).map(([name, command]) => {
    const argument = 'argument' in command ? command.argument : ''
    return `  ${`${name} ${argument}`.padEnd(13)} ${command.description}`
  })
  const width = Math.max(...settingNames.map((name) => toFlagName(name).length))
  const lines = settingNames.map((name) => {
    const flag = toFlagName(name).padEnd(width)
    const variable = toEnvironmentName(name).padEnd(width)
    return `  --${flag} ${variable} ${settings[name].doc} (${describeDefault(name)})`
  })
  return `Usage: vitrine [command] [--flag value …]

${commandLines.join('\n')}

Settings are flags or environment variables. Flags override the environment.
Defaults are in parentheses.

${lines.join('\n')}
  --${'help'.padEnd(width)} show this help
  --${'version'.padEnd(width)} show the version`
}
