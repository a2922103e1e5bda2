import packageJson from '../package.json' with { type: 'json' }
import { helpText, parseCommandLine } from './cli/flags.ts'
import { removeMade } from './cli/remove-made.ts'
import { ConfigProblems, findMisspelled } from './config/config.ts'
import { demos } from './demos/catalogue.ts'
import { isDamage, isDiskFull } from './stores/sqlite/database.ts'
import { hasCode } from './config/has-code.ts'
import { isUnavailable, toReason } from './stores/store-failure.ts'

const afterDamage =
  '. Move the file of DATABASE_URL, with its -wal and -shm files, to another place, and restore a backup'

const args = process.argv.slice(2)
if (args.includes('--help')) console.log(helpText(args))
else if (args.includes('--version')) console.log(packageJson.version)
else await main()

async function main(): Promise<void> {
  let verb = 'start'
  try {
    const demoNames = demos.map(({ name }) => name)
    const command = parseCommandLine(args, demoNames)
    verb = command.verb
    for (const hint of findMisspelled(process.env)) console.error(`vitrine: ${hint}`)
    await command.run()
  } catch (error) {
    console.error(toErrorLines(error, verb))
    removeMade()
    // 69: EX_UNAVAILABLE of sysexits.h. A service manager can then try again.
    process.exitCode = isTemporary(error) ? 69 : 2
  }
}

function isTemporary(error: unknown): boolean {
  const causes = toCauses(error)
  const codes = ['EADDRINUSE', 'EADDRNOTAVAIL', 'ENOSPC', 'EDQUOT']
  if (causes.some(isDamage)) return false
  return isUnavailable(error) || isDiskFull(error) || causes.some((one) => hasCode(one, ...codes))
}

function toCauses(error: unknown): unknown[] {
  return [error, error instanceof Error ? error.cause : undefined]
}

function toErrorLines(error: unknown, verb: string): string {
  if (error instanceof ConfigProblems) return error.message.replaceAll(/^/gm, 'vitrine: ')
  const hint = toCauses(error).some(isDamage) ? afterDamage : ''
  return `vitrine: cannot ${verb}: ${toReason(error)}${hint}`
}
