import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { parseArgs } from 'node:util'
import { buildApp } from './app.ts'
import { openBackends } from './backends.ts'
import {
  ConfigProblems,
  loadConfig,
  settingNames,
  settings,
  toEnvironmentName,
  toFlagName,
  type Config,
} from './config.ts'
import packageJson from '../package.json' with { type: 'json' }
import { createHttpsRedirect } from './http/https-redirect.ts'
import { rooms } from './rooms.ts'
import {
  findWorkerPort,
  isSpeaker,
  isWorker,
  leave,
  sayOpened,
  superviseWorkers,
} from './workers.ts'

/** The status with which a start ends that could not be made. */
const failedStart = 2
const stopSeconds = 10

await main(process.argv.slice(2))

async function main(flags: readonly string[]): Promise<void> {
  if (flags.includes('--help')) {
    console.log(helpText())
    return
  }
  if (flags.includes('--version')) {
    console.log(packageJson.version)
    return
  }
  try {
    const config = parseConfig(flags)
    if (config.workers === 1 || isWorker) await start(config)
    else process.exitCode = await superviseWorkers(config)
  } catch (error) {
    console.error(toStartProblem(error))
    process.exitCode = failedStart
    leave()
  }
}

/** Flags before the environment. Throws {@link ConfigProblems} with all that is wrong with either. */
function parseConfig(args: readonly string[]): Config {
  const { values, problems } = parseFlags(args)
  const roomNames = rooms.map(({ name }) => name)
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

async function start(config: Config): Promise<void> {
  const backends = await openBackends(config, (problem) => {
    console.error(`vitrine: ${problem}`)
  })
  const app = await buildApp({ config, backends, rooms }).catch(async (error: unknown) => {
    // A connection that is left open would keep the process from ending.
    await backends.close()
    throw error
  })
  let redirect: Server | undefined
  const close = async () => {
    redirect?.close()
    await app.close()
    await backends.close()
  }
  try {
    // A name is looked up here: Fastify would open a second server, without our limits, for another
    // address of it.
    const { address: host } = await lookup(config.host)
    const address = await app.listen({ host, port: findWorkerPort() ?? config.port })
    redirect = await openRedirect(config, address)
    if (isSpeaker()) console.log(`Vitrine is open at ${address}`)
    sayOpened()
  } catch (error) {
    await close()
    throw error
  }
  const stop = () => {
    // A second signal, of either kind, ends the process as it would any other.
    process.off('SIGTERM', stop).off('SIGINT', stop)
    // What is still in flight by then is cut off.
    const exit = () => void backends.close().finally(() => process.exit(0))
    setTimeout(exit, stopSeconds * 1000).unref()
    void close().then(leave)
  }
  process.on('SIGTERM', stop)
  // A terminal sends SIGINT to supervisor and workers alike, and the supervisor passes it on.
  process.on('SIGINT', isWorker ? () => undefined : stop)
}

/** Listens for plain HTTP when a port for it is set; the caller closes it. */
async function openRedirect(config: Config, address: string): Promise<Server | undefined> {
  const { host, redirectHttpPort } = config
  if (redirectHttpPort === undefined) return undefined
  const redirect = createHttpsRedirect(config, Number(new URL(address).port || 443))
  redirect.listen(redirectHttpPort, host)
  await once(redirect, 'listening')
  const bound = redirect.address()
  const port = typeof bound === 'object' ? bound?.port : redirectHttpPort
  if (isSpeaker()) console.log(`Plain HTTP is redirected from port ${String(port)}`)
  return redirect
}

/** One line for each thing wrong; for a fault of our own, its text too. */
function toStartProblem(error: unknown): string {
  if (error instanceof ConfigProblems) {
    return error.problems.map((problem) => `vitrine: ${problem}`).join('\n')
  }
  return `vitrine: cannot start: ${error instanceof Error ? error.message : String(error)}`
}

function helpText(): string {
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
