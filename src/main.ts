import packageJson from '../package.json' with { type: 'json' }
import { ConfigProblems } from './config.ts'
import { helpText, parseConfig } from './flags.ts'
import { rooms } from './rooms.ts'
import { serve } from './serve.ts'
import { isWorker, leave, superviseWorkers } from './workers.ts'

/** The status with which a start ends that could not be made. */
const failedStart = 2

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
    const config = parseConfig(
      flags,
      rooms.map(({ name }) => name),
    )
    if (config.workers === 1 || isWorker) await serve(config)
    else process.exitCode = await superviseWorkers(config)
  } catch (error) {
    console.error(toStartProblem(error))
    process.exitCode = failedStart
    leave()
  }
}

/** One line for each thing wrong; for a fault of our own, its text too. */
function toStartProblem(error: unknown): string {
  if (error instanceof ConfigProblems) {
    return error.problems.map((problem) => `vitrine: ${problem}`).join('\n')
  }
  return `vitrine: cannot start: ${error instanceof Error ? error.message : String(error)}`
}
