import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compareVersions, measureCosts } from './costs.ts'
import { figureRows, scaleRows } from './figures.ts'
import type { Place } from './fill.ts'
import { measureParts } from './profile.ts'
import { isMet, toComparison, toLines, writeReport } from './report.ts'
import { readResults, toCosts, toFigureResults, writeResults, type Result } from './results.ts'
import { rows } from './rows.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const rounds = Number(process.env.ROUNDS ?? 8)
const library = await mkdtemp(join(tmpdir(), 'vitrine-bench-'))

const [command, ref = '', ...others] = process.argv.slice(2)
const peerRows = rows.map(({ name }) => name)
const wanted = (command === 'compare' ? others : process.argv.slice(2)).flatMap((name) =>
  name === 'peers' ? peerRows : name,
)
const names = [...peerRows, ...Object.keys(figureRows)]
const unknown = wanted.filter((name) => !names.includes(name) && !(name in scaleRows))
if (unknown.length > 0 || (command === 'compare' && ref === '')) {
  console.error(
    'npm run bench -- [row …]; npm run bench -- peers; npm run bench -- compare <git ref> [row …]',
  )
  console.error(`Rows: ${names.join(', ')}; only if named: ${Object.keys(scaleRows).join(', ')}.`)
  process.exit(2)
}

try {
  if (command === 'compare') await compare(ref)
  else await measure()
} finally {
  await rm(library, { recursive: true })
}

async function measure(): Promise<void> {
  for (const name of wanted.length > 0 ? wanted : names) {
    const row = rows.find((one) => one.name === name)
    const day = new Date().toISOString().slice(0, 10)
    const result: Result = { day, ...(await withPlace((place) => measureRow(name, place))) }
    console.log(toLines(row, result))
    const results = { ...(await readResults()), [name]: result }
    await writeResults(results)
    await writeReport(results)
  }
}

async function measureRow(name: string, place: Place): Promise<Omit<Result, 'day'>> {
  const row = rows.find((one) => one.name === name)
  if (!row) {
    const figures = (await { ...figureRows, ...scaleRows }[name]?.(place)) ?? []
    return { figures: toFigureResults(figures) }
  }
  const costs = await toCosts(await measureCosts(row, place))
  if (costs.every((cost) => isMet(row, cost))) return { costs }
  const parts = await measureParts(row, { ...place, folder: join(place.folder, 'parts') })
  return { costs, parts }
}

/** Measures this version beside another, which is checked out for it. */
async function compare(gitRef: string): Promise<void> {
  const folder = join(library, 'base')
  await run('git', ['worktree', 'add', '--detach', folder, gitRef], { cwd: root })
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const name of wanted.length > 0 ? wanted : rows.map((one) => one.name)) {
      const row = rows.find((one) => one.name === name)
      if (!row) continue
      const slices = await withPlace((place) => compareVersions(row, folder, place))
      console.log(toComparison(row, slices))
    }
  } finally {
    await run('git', ['worktree', 'remove', '--force', folder], { cwd: root })
  }
}

async function withPlace<T>(use: (place: Place) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(library, 'row-'))
  try {
    return await use({ folder, library, rounds })
  } finally {
    await rm(folder, { recursive: true })
  }
}
