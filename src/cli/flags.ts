import { parseArgs } from 'node:util'
import { commands, parseCommand, type Command } from './commands.ts'
import { ConfigProblems, loadConfig, type Config } from '../config/config.ts'
import { settingNames, settings, toEnvironmentName, toFlagName } from '../config/settings.ts'

/**
 * What is to be done, and with which settings: flags before the environment. Throws
 * {@link ConfigProblems} with all that is wrong with either.
 */
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

/** Flags as the environment would say them, what is no flag, and what is wrong with them. */
function parseFlags(args: readonly string[]) {
  const options = Object.fromEntries(
    settingNames.map((name) => [toFlagName(name), { type: 'string' as const }]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const problems: string[] = []
  const words: string[] = []
  const values: Record<string, string> = {}
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'option') {
      const name = settingNames.find((candidate) => toFlagName(candidate) === token.name)
      if (name === undefined) problems.push(toUnknownFlag(token.rawName))
      else if (token.value === undefined) problems.push(`${token.rawName} needs a value`)
      else values[toEnvironmentName(name)] = token.value
    } else if (token.kind === 'positional') {
      const previous = tokens[index - 1]
      const isItsValue = previous?.kind === 'option' && previous.value === undefined
      if (!isItsValue) words.push(token.value)
    }
  }
  return { values, words, problems: [...new Set(problems)] }
}

/** Behind one hyphen each letter would be a flag, those of a value too. */
function toUnknownFlag(name: string): string {
  if (/^--[\w-]+$/.test(name)) return `there is no flag ${name}; see --help`
  return 'a flag is two hyphens and a name; see --help'
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
    'Every setting is a flag or a variable of the environment; the flag wins.',
    '',
    ...lines,
    `  --${'help'.padEnd(width)} this text`,
    `  --${'version'.padEnd(width)} the version`,
  ].join('\n')
}
