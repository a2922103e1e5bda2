import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { figureRows } from './figures.ts'
import { measureGrowth } from './growth.ts'
import { measureRates } from './rates.ts'
import { writeReport } from './report.ts'
import { keepResult, readResults, type Measured } from './results.ts'
import { rows } from './rows.ts'
import { toLines } from './table.ts'

/** In each round all contenders of a row take a turn of this length. */
const rounds = Number(process.env.ROUNDS ?? 5)
const seconds = Number(process.env.SECONDS ?? 3)

const names = [...rows.map(({ name }) => name), ...Object.keys(figureRows), 'growth']
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => ![...names, 'report'].includes(name))
if (unknown.length > 0) {
  console.error(`No such row: ${unknown.join(', ')}. There are ${names.join(', ')}; and report.`)
  process.exit(2)
}

const library = await mkdtemp(join(tmpdir(), 'vitrine-bench-library-'))
try {
  for (const name of wanted.length === 0 ? names : names.filter((one) => wanted.includes(one))) {
    const how = `${String(rounds)} rounds of ${String(seconds)} seconds`
    console.log(toLines(name, await keepResult(name, await measureRow(name), how)))
  }
} finally {
  await rm(library, { recursive: true })
}
// Measuring single rows does not write the document; `report` does.
if (wanted.length === 0 || wanted.includes('report')) await writeReport(names, await readResults())

async function measureRow(name: string): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-'))
  const place = { folder, library, rounds }
  try {
    const row = rows.find((one) => one.name === name)
    if (row) return { kind: 'rates', ...(await measureRates(row, { ...place, seconds })) }
    const measureFigures = figureRows[name]
    if (measureFigures) return { kind: 'figures', figures: await measureFigures(place) }
    return { kind: 'growth', points: await measureGrowth(place, seconds) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
