import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compareVersions, measureCosts } from './costs.ts'
import { figureRows } from './figures.ts'
import type { Place } from './fill.ts'
import { toComparison, toCostLines, toFigureLine, writeResult } from './report.ts'
import { rows } from './rows.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const rounds = Number(process.env.ROUNDS ?? 10)
const library = await mkdtemp(join(tmpdir(), 'vitrine-bench-'))

const [command, ref = '', ...others] = process.argv.slice(2)
const wanted = command === 'compare' ? others : process.argv.slice(2)
const names = [...rows.map(({ name }) => name), ...Object.keys(figureRows)]
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0 || (command === 'compare' && ref === '')) {
  console.error('npm run bench [row …]; npm run bench -- compare <git ref> [row …]')
  console.error(`Rows: ${names.join(', ')}.`)
  process.exit(2)
}

try {
  if (command === 'compare') await compare(ref)
  else await measure()
} finally {
  await rm(library, { recursive: true })
}

async function measure(): Promise<void> {
  for (const name of selectedNames(names)) {
    const row = rows.find((one) => one.name === name)
    const lines = await withPlace(async (place) =>
      row
        ? toCostLines(row, await measureCosts(row, place))
        : ((await figureRows[name]?.(place)) ?? []).map(toFigureLine),
    )
    console.log(lines.join('\n'))
    await writeResult(name, lines)
  }
}

/** Measures this version beside another, which is checked out for it. */
async function compare(gitRef: string): Promise<void> {
  const folder = join(library, 'base')
  await run('git', ['worktree', 'add', '--detach', folder, gitRef], { cwd: root })
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const name of selectedNames(rows.map((row) => row.name))) {
      const row = rows.find((one) => one.name === name)
      if (!row) continue
      const slices = await withPlace((place) => compareVersions(row, folder, place))
      console.log(toComparison(row, slices))
    }
  } finally {
    await run('git', ['worktree', 'remove', '--force', folder], { cwd: root })
  }
}

function selectedNames(all: readonly string[]): readonly string[] {
  return wanted.length === 0 ? all : all.filter((name) => wanted.includes(name))
}

async function withPlace<T>(use: (place: Place) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(library, 'row-'))
  try {
    return await use({ folder, library, rounds })
  } finally {
    await rm(folder, { recursive: true })
  }
}
