import packageJson from '../package.json' with { type: 'json' }
import { ConfigProblems, type Config } from './config/config.ts'
import { commands, type Command } from './cli/commands.ts'
import { helpText, parseCommandLine } from './cli/flags.ts'
import { demos } from './demos/catalogue.ts'
import { serve } from './cli/serve.ts'
import { isWorker, disconnectWorker, superviseWorkers } from './operations/workers.ts'

await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    console.log(helpText())
    return
  }
  if (args.includes('--version')) {
    console.log(packageJson.version)
    return
  }
  let verb = commands.serve.verb
  try {
    const { command, config } = parseCommandLine(
      args,
      demos.map(({ name }) => name),
    )
    verb = commands[command.name].verb
    await run(command, config)
  } catch (error) {
    console.error(toErrorLines(error, verb))
    process.exitCode = 2
    disconnectWorker()
  }
}

/** Imports the other commands on demand, so that `serve` starts faster. */
async function run({ name, argument }: Command, config: Config): Promise<void> {
  switch (name) {
    case 'serve':
      if (config.workers === 1 || isWorker) await serve(config)
      else process.exitCode = await superviseWorkers(config)
      return
    case 'backup':
      await (await import('./cli/backup.ts')).backup(config, argument)
      return
    case 'restore':
      await (await import('./cli/restore.ts')).restore(config, argument)
      return
    case 'seed':
      await (await import('./cli/seed/seed.ts')).seed(config, Number(argument))
      return
    case 'reset':
      await (await import('./cli/reset.ts')).reset(config)
  }
}

function toErrorLines(error: unknown, verb: string): string {
  if (error instanceof ConfigProblems) {
    return error.problems.map((problem) => `vitrine: ${problem}`).join('\n')
  }
  return `vitrine: cannot ${verb}: ${error instanceof Error ? error.message : String(error)}`
}
