import packageJson from '../package.json' with { type: 'json' }
import { ConfigProblems, type Config } from './config.ts'
import { commands, type Command } from './commands/commands.ts'
import { helpText, parseCommandLine } from './flags.ts'
import { rooms } from './rooms.ts'
import { serve } from './serve.ts'
import { isWorker, leave, superviseWorkers } from './workers.ts'

/** The status with which what could not be done ends. */
const failed = 2

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
      rooms.map(({ name }) => name),
    )
    verb = commands[command.name].verb
    await run(command, config)
  } catch (error) {
    console.error(toProblem(error, verb))
    process.exitCode = failed
    leave()
  }
}

/** What a start does not need is loaded only where it is asked for. */
async function run({ name, argument }: Command, config: Config): Promise<void> {
  switch (name) {
    case 'serve':
      if (config.workers === 1 || isWorker) await serve(config)
      else process.exitCode = await superviseWorkers(config)
      return
    case 'backup':
      await (await import('./commands/backup.ts')).backup(config, argument)
      return
    case 'restore':
      await (await import('./commands/restore.ts')).restore(config, argument)
      return
    case 'seed':
      await (await import('./commands/seed.ts')).seed(config, Number(argument))
      return
    case 'reset':
      await (await import('./commands/reset.ts')).reset(config)
  }
}

/** One line for each thing wrong; for a fault of our own, its text too. */
function toProblem(error: unknown, verb: string): string {
  if (error instanceof ConfigProblems) {
    return error.problems.map((problem) => `vitrine: ${problem}`).join('\n')
  }
  return `vitrine: cannot ${verb}: ${error instanceof Error ? error.message : String(error)}`
}
