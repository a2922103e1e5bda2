import { parseArgs } from 'node:util'
import { ConfigProblems, loadConfig, type Config } from './config.ts'
import { settingNames, settings, toEnvironmentName, toFlagName } from './settings.ts'

/** Flags before the environment. Throws {@link ConfigProblems} with all that is wrong with either. */
export function parseConfig(args: readonly string[], roomNames: readonly string[]): Config {
  const { values, problems } = parseFlags(args)
  try {
    const config = loadConfig({ ...process.env, ...values }, roomNames)
    if (problems.length > 0) throw new ConfigProblems([])
    return config
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    throw new ConfigProblems([...problems, ...error.problems])
  }
}

/** Flags as the environment would say them, and what is wrong with them. */
function parseFlags(args: readonly string[]) {
  const options = Object.fromEntries(
    settingNames.map((name) => [toFlagName(name), { type: 'string' as const }]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const problems: string[] = []
  const values: Record<string, string> = {}
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'option') {
      const name = settingNames.find((candidate) => toFlagName(candidate) === token.name)
      if (name === undefined) problems.push(`there is no flag ${token.rawName}; see --help`)
      else if (token.value === undefined) problems.push(`${token.rawName} needs a value`)
      else values[toEnvironmentName(name)] = token.value
      continue
    }
    const previous = tokens[index - 1]
    const isItsValue = previous?.kind === 'option' && previous.value === undefined
    if (!isItsValue) {
      problems.push(`"${args[token.index] ?? ''}" is not a flag; see --help`)
    }
  }
  return { values, problems }
}

export function helpText(): string {
  const lines = settingNames.map((name) => {
    const { default: fallback, description } = settings[name]
    const flag = `--${toFlagName(name)}`.padEnd(20)
    return `  ${flag} ${toEnvironmentName(name).padEnd(17)} ${description} (${fallback ?? 'unset'})`
  })
  return [
    'Usage: vitrine [--flag value …]',
    '',
    'Every setting is a flag or a variable of the environment; the flag wins.',
    '',
    ...lines,
    '  --help               this text',
    '  --version            the version',
  ].join('\n')
}
