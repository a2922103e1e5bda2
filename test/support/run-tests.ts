import { once } from 'node:events'
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from 'node:test'
import report from './reporter.ts'
import { bundleVitrine } from './bundled-vitrine.ts'
import { projectFolder } from './start-vitrine.ts'

/** So many that processes of different lengths end at about the same time. */
const filesInProcess = 16

/** These replace the timers of their process, or add demos to it. */
const alone = ['test/embed.test.ts', 'test/fake-timers.test.ts']

const isShared = (file: string) =>
  /^(src|test\/hardening)\/|^test\/[^/]+$/.test(file) && !alone.includes(file)

/**
 * Runs files of tests, three processes at a time. A process that has loaded the whole service runs several of
 * the files of `npm test`: the start takes longer than most of them.
 */
export async function runFiles(files: readonly string[]): Promise<void> {
  process.env.VITRINE_BUNDLE = bundleVitrine()
  const tests = run({
    files: [...files.filter((file) => !isShared(file)), ...toGroups(files.filter(isShared))],
    cwd: projectFolder,
    concurrency: 3,
    execArgv: ['--import=./test/support/compile-cache.js', '--max-semi-space-size=32'],
  })
  tests.on('test:fail', () => (process.exitCode = 1))
  tests.compose(report).pipe(process.stdout)
  await once(tests, 'end')
}

export const findFiles = (patterns: readonly string[]) =>
  globSync(patterns, { cwd: projectFolder }).toSorted()

/** Modules that import the files of one process each, every file as a suite with the name of the file. */
function toGroups(files: readonly string[]): string[] {
  const folder = join(projectFolder, 'node_modules/.cache/groups')
  mkdirSync(folder, { recursive: true })
  const count = Math.ceil(files.length / filesInProcess)
  return Array.from({ length: count }, (_, group) => {
    const path = join(folder, `${String(process.pid)}-${String(group)}.mjs`)
    const own = files.filter((_, index) => index % count === group)
    const suites = own.map(
      (file) =>
        `suite(${JSON.stringify(file)}, () => import(${JSON.stringify(join(projectFolder, file))}))`,
    )
    writeFileSync(path, ["import { suite } from 'node:test'", ...suites, ''].join('\n'))
    return path
  })
}

if (import.meta.main) await runFiles(findFiles(process.argv.slice(2)))
