import { isLoopback } from '../http/security/allowed-hosts.ts'
import { localDefaults, presets } from './presets.ts'
import { settingNames, settings, toEnvironmentName, type SettingName } from './settings.ts'

type Settings = typeof settings
export type Config = { [Name in SettingName]: ReturnType<Settings[Name]['parse']> }

/** All that is wrong with the settings, one line each. */
export class ConfigProblems extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * Reads every setting from `environment` (names as in {@link toEnvironmentName}); an empty value
 * counts as unset, and what is unset is as the preset has it. `demoNames` are the rooms there are; `all` becomes all of them. Throws
 * {@link ConfigProblems} naming all the bad ones together.
 */
export function loadConfig(
  environment: Readonly<Record<string, string | undefined>>,
  demoNames: readonly string[],
): Config {
  const problems: string[] = []
  const preset = presets[environment.PRESET === 'public' ? 'public' : 'none']
  const isLocal = isLoopback(environment.HOST || settings.host.default || '')
  const defaults = { ...(isLocal && !environment.TRUSTED_PROXIES && localDefaults), ...preset }
  const entries = settingNames.map((name) => {
    const { parse, default: fallback, isSecret } = settings[name]
    const text = environment[toEnvironmentName(name)] || defaults[name] || fallback || ''
    try {
      return [name, parse(text)]
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const shown = isSecret ? '' : `; it is "${text}"`
      problems.push(`${toEnvironmentName(name)} must be ${reason}${shown}`)
      return [name, undefined]
    }
  })
  const config = Object.fromEntries(entries) as Config
  if (environment.ROOMS) problems.push('ROOMS is now called DEMOS: rename the setting')
  if (config.demos.includes('all')) config.demos = demoNames
  const unknownDemos = config.demos.filter((name) => !demoNames.includes(name))
  if (unknownDemos.length > 0 || config.demos.length === 0) {
    const text = environment.DEMOS ?? ''
    problems.push(`DEMOS must be all, or some of ${demoNames.join(', ')}; it is "${text}"`)
  }
  if (isLocal && environment.TRUSTED_PROXIES && !environment.ALLOWED_HOSTS) {
    problems.push(
      'ALLOWED_HOSTS must be set where HOST is a loopback address and there are TRUSTED_PROXIES',
    )
  }
  if (!environment.TLS_CERT !== !environment.TLS_KEY) {
    problems.push('TLS_CERT and TLS_KEY must both be set, or neither')
  }
  if (config.redirectHttpPort !== undefined && !environment.TLS_KEY) {
    problems.push('REDIRECT_HTTP_PORT must be unset without TLS_CERT and TLS_KEY')
  }
  if (config.workers > 1 && config.databaseUrl === 'sqlite::memory:') {
    problems.push('WORKERS must be 1 where the database is in the memory of one process')
  }
  const hasKey = environment.AWS_ACCESS_KEY_ID && environment.AWS_SECRET_ACCESS_KEY
  if (environment.FILES_URL?.startsWith('s3:') && !hasKey) {
    problems.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set for FILES_URL')
  }
  if (problems.length > 0) throw new ConfigProblems(problems)
  return config
}
