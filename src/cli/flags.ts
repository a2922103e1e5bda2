import { parseArgs } from 'node:util'
import { commands, parseCommand, type Command } from './commands.ts'
import { findNearest } from '../config/find-nearest.ts'
import { loadConfig } from '../config/config.ts'
import {
  describeDefault,
  groupTitles,
  settingNames,
  settings,
  toEnvironmentName,
  toFlagName,
  type SettingName,
} from '../config/settings.ts'

export function parseCommandLine(args: string[], demoNames: readonly string[]) {
  const { values, words, problems } = parseFlags(args)
  problems.push(...findLostFlags(process.env))
  const { source, ofCommand } = takeSource(words)
  if (source !== undefined) values[toEnvironmentName('dataFile')] = source
  const { command = commands.serve, argument = '', others = [], problem } = parseCommand(ofCommand)
  if (problem !== undefined) problems.push(problem)
  const config = loadConfig({ ...process.env, ...values }, demoNames, problems)
  return { verb: command.verb, run: () => command.run(config, argument, others) }
}

/** npm takes flags as its own configuration. */
function findLostFlags(env: NodeJS.ProcessEnv): string[] {
  if (env.npm_lifecycle_event !== 'start' || env.npm_package_name !== 'vitrine') return []
  return settingNames
    .filter((name) => `npm_config_${toFlagName(name).replaceAll('-', '_')}` in env)
    .map((name) => `npm took --${toFlagName(name)}. Did you forget -- after npm start?`)
}

/** A data file is named before the command, if there is one: no command has a dot or a slash. */
function takeSource([first = '', ...others]: readonly string[]) {
  const isSource = /[./]/.test(first)
  return isSource
    ? { source: first, ofCommand: others }
    : { ofCommand: first === '' ? [] : [first, ...others] }
}

function parseFlags(args: string[]) {
  const names = new Map(settingNames.map((name) => [toFlagName(name), toEnvironmentName(name)]))
  const switches = settingNames.filter((name) => settings[name].isSwitch).map(toFlagName)
  const options = Object.fromEntries(
    [...names.keys()].map((flag) => [flag, switches.includes(flag) ? boolean : string]),
  )
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true })
  const problems = new Set<string>()
  const words: string[] = []
  const values: Record<string, string> = {}
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'option') {
      const name = names.get(token.name)
      const isWhole = args[token.index]?.split('=', 1)[0] === token.rawName
      const value = findFlagValue(token) ?? (switches.includes(token.name) ? 'on' : undefined)
      if (name === undefined) problems.add(toUnknownFlag(token.rawName, [...names.keys()], isWhole))
      else if (value === undefined) problems.add(`${token.rawName} requires a value`)
      else values[name] = value
    } else if (token.kind === 'positional') {
      const previous = tokens[index - 1]
      const flag = previous?.kind === 'option' ? previous : undefined
      const isSwitch = flag !== undefined && switches.includes(flag.name)
      if (isSwitch && /^(on|off|true|false|yes|no)$/.test(token.value))
        problems.add(`${flag.rawName} takes a value only with =: ${flag.rawName}=off`)
      // What follows an unknown flag may be its value.
      else if (!flag || isSwitch || findFlagValue(flag) !== undefined) words.push(token.value)
    }
  }
  return { values, words, problems: [...problems] }
}

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const

interface OptionToken {
  value?: string | undefined
  inlineValue?: boolean | undefined
}

/** The parser also takes the next flag as the value. */
function findFlagValue({ value, inlineValue }: OptionToken): string | undefined {
  return value?.startsWith('--') && !inlineValue ? undefined : value
}

const snapshots =
  'vitrine db.json export FILE writes the stored records, and --test-api has snapshots'
const middlewares = 'no code of yours is run; $responses in the data file describes responses'
const configFile = 'every flag can also be set in the environment'

const otherFlags: Readonly<Record<string, string>> = {
  '-c': configFile,
  '--config': configFile,
  '-d': 'did you mean --delay?',
  '--fks': 'did you mean --foreignKeySuffix?',
  '-h': 'did you mean --help or --host?',
  '-H': 'did you mean --host?',
  '-i': 'did you mean --id?',
  '-m': middlewares,
  '--middlewares': middlewares,
  '--nc': 'use --cors-origins none',
  '--no-cors': 'use --cors-origins none',
  '--ng': 'use --compression off',
  '--no-gzip': 'use --compression off',
  '-p': 'did you mean --port?',
  '-q': 'did you mean --log-level?',
  '--quiet': 'did you mean --log-level?',
  '-r': 'did you mean --routes?',
  '--ro': 'did you mean --read-only?',
  '-s': 'did you mean --static?',
  '-S': snapshots,
  '--snapshots': snapshots,
  '-v': 'did you mean --version?',
  '-w': 'did you mean --fresh --watch?',
}

/** After a single hyphen, each letter is an option, also those of a value, which may be secret. */
function toUnknownFlag(name: string, known: readonly string[], isWhole: boolean): string {
  const other = isWhole ? otherFlags[name] : undefined
  if (other === undefined && !/^--[\w-]+$/.test(name))
    return 'flags start with two hyphens; see --help'
  const variable = name.slice(2).replaceAll('-', '_').toUpperCase()
  const named = settingNames.find((setting) => toEnvironmentName(setting) === variable)
  const nearest = named ? toFlagName(named) : findNearest(name.slice(2), known)
  const hint = other ?? (nearest === undefined ? undefined : `did you mean --${nearest}?`)
  if (hint === undefined) return `unknown flag ${name}; see --help`
  return `unknown flag ${name}; ${hint.replace(/[^?]$/, '$&.')} See --help`
}

export function helpText(args: string[]): string {
  const { values, words } = parseFlags(args.filter((arg) => arg !== '--help'))
  const preset = values.PRESET ?? process.env.PRESET
  const formatSetting = (name: SettingName) => {
    const variable = settings[name].flag === undefined ? '' : `; ${toEnvironmentName(name)}`
    const inBrackets = `[${describeDefault(name, preset)}${variable}]`
    const meaning = `${settings[name].doc} ${inBrackets}`.replaceAll('`', '')
    return formatRow(`--${toFlagName(name)}`, meaning)
  }
  const [name] = takeSource(words).ofCommand
  const all: [string, Command][] = Object.entries(commands)
  const row = all.find(([candidate, { settings }]) => candidate === name && settings)
  return row ? commandHelp(row, formatSetting) : generalHelp(all.map(formatCommand), formatSetting)
}

type FormatSetting = (name: SettingName) => string

function formatCommand([name, { argument, description }]: [string, Command]): string {
  return formatRow(argument === undefined ? name : `${name} ${argument}`, description)
}

function commandHelp(row: [string, Command], formatSetting: FormatSetting): string {
  const [name, { argument, settings: ofCommand = [] }] = row
  const usage = ['vitrine [data file or URL]', name, argument, '[--flag value …]']
  return `Usage: ${usage.filter(Boolean).join(' ')}

${formatCommand(row)}

Its main settings; vitrine --help lists all:
${ofCommand.map(formatSetting).join('\n')}`
}

function generalHelp(commandRows: readonly string[], formatSetting: FormatSetting): string {
  const modeRows = [
    formatRow('vitrine db.json', 'load the file once; changes are kept in data/'),
    formatRow('vitrine db.json --fresh', 'load it at each start; nothing is kept'),
    formatRow('… --fresh --watch', 'load it at each change too; nothing is kept'),
    formatRow('vitrine --fresh', 'start without a file and records; nothing is kept'),
  ]
  const settingRows = settingNames.flatMap((name) => {
    const title = groupTitles[name]
    return [...(title ? [`\n${title}:`] : []), formatSetting(name)]
  })
  return `Usage: vitrine [data file or URL] [command] [--flag value …]

${modeRows.join('\n')}

${commandRows.join('\n')}
${formatRow('COMMAND --help', 'show the help of one command')}
${formatRow('--help', 'show this help')}
${formatRow('--version', 'show the version')}

Every flag can also be set in the environment: --max-body-bytes is
MAX_BODY_BYTES there. Flags override the environment. In brackets are the
default and, if it has another name, the variable.
${settingRows.join('\n')}`
}

function formatRow(term: string, meaning: string): string {
  const lines = meaning.replace(/(.{1,48})( |$)/g, `$1\n${' '.repeat(32)}`)
  return `  ${term.padEnd(30)}${lines}`.trimEnd()
}
