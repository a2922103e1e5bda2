import { parseArgs } from 'node:util'
import { commands, parseCommand, type Command } from './commands.ts'
import { ConfigProblems, loadConfig, type Config } from '../config/config.ts'
import { settingNames, settings, toEnvironmentName, toFlagName } from '../config/settings.ts'

/** Flags override the environment. Throws {@link ConfigProblems} with all problems of both. */
export function parseCommandLine(
  args: readonly string[],
  demoNames: readonly string[],
): { command: Command; config: Config } {
  const { values, words, problems } = parseFlags(args)
  let command: Command | undefined
  try {
    command = parseCommand(words)
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  }
  try {
    const config = loadConfig({ ...process.env, ...values }, demoNames)
    if (command !== undefined && problems.length === 0) return { command, config }
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    problems.push(...error.problems)
  }
  throw new ConfigProblems(problems)
}

/** `values` has the flags by the names of the environment. */
function parseFlags(args: readonly string[]) {
  const options = Object.fromEntries(
    settingNames.map((name) => [toFlagName(name), { type: 'string' as const }]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const problems = new Set<string>()
  const words: string[] = []
  const values: Record<string, string> = {}
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'option') {
      const name = settingNames.find((candidate) => toFlagName(candidate) === token.name)
      if (name === undefined) problems.add(toUnknownFlag(token.rawName))
      else if (token.value === undefined) problems.add(`${token.rawName} requires a value`)
      else values[toEnvironmentName(name)] = token.value
    } else if (token.kind === 'positional') {
      const previous = tokens[index - 1]
      const isValue = previous?.kind === 'option' && previous.value === undefined
      if (!isValue) words.push(token.value)
    }
  }
  return { values, words, problems: [...problems] }
}

/** After a single hyphen, each letter is an option, also those of a value, which may be secret. */
function toUnknownFlag(name: string): string {
  if (/^--[\w-]+$/.test(name)) return `unknown flag ${name}; see --help`
  return 'flags start with two hyphens; see --help'
}

export function helpText(): string {
  const commandLines = Object.entries(commands).map(
    ([name, { argument = '', description }]) =>
      `  ${`${name} ${argument}`.padEnd(13)} ${description}`,
  )
  const width = Math.max(...settingNames.map((name) => toFlagName(name).length))
  const lines = settingNames.map((name) => {
    const { default: fallback, description } = settings[name]
    const flag = `--${toFlagName(name).padEnd(width)}`
    const variable = toEnvironmentName(name).padEnd(width)
    return `  ${flag} ${variable} ${description} (${fallback ?? 'unset'})`
  })
  return [
    'Usage: vitrine [command] [--flag value …]',
    '',
    ...commandLines,
    '',
    'Settings are flags or environment variables. Flags override the environment.',
    'Defaults are in parentheses.',
    '',
    ...lines,
    `  --${'help'.padEnd(width)} show this help`,
    `  --${'version'.padEnd(width)} show the version`,
  ].join('\n')
}
