import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start, type Running } from './contenders.ts'
import { fill } from './fill.ts'
import { measure } from './measure.ts'
import { toTable, writeReport, type Result } from './report.ts'
import { rows, type Contender, type Row } from './rows.ts'

/** Rounds in which all contenders of a row take turns, and how long each turn is. */
const rounds = Number(process.env.ROUNDS ?? 5)
const seconds = Number(process.env.SECONDS ?? 3)

const names = process.argv.slice(2)
const chosen = names.length === 0 ? rows : rows.filter(({ name }) => names.includes(name))
if (chosen.length === 0) {
  console.error(`There is no such row; there are ${rows.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

const results: Result[] = []
for (const row of chosen) {
  const result = await runRow(row)
  results.push(result)
  console.log(toTable([result]))
}
if (names.length === 0) await writeReport(results, { rounds, seconds })

async function runRow(row: Row): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-'))
  const reference = join(folder, 'reference.json')
  const running = new Map<Contender, Running>()
  try {
    await fill(folder, row)
    const vitrine = await start('vitrine', row, { folder, reference })
    running.set('vitrine', vitrine)
    await writeReference(vitrine.port, row, reference)
    for (const contender of new Set([row.limit, ...row.peers])) {
      running.set(contender, await start(contender, row, { folder, reference }))
    }
    return { row, rates: await takeTurns(folder, row, running) }
  } finally {
    await Promise.all([...running.values()].map(({ stop }) => stop()))
    await rm(folder, { recursive: true })
  }
}

/** For each contender what it did in each round, in requests a second. */
async function takeTurns(
  folder: string,
  row: Row,
  running: ReadonlyMap<Contender, Running>,
): Promise<Map<Contender, number[]>> {
  const rates = new Map<Contender, number[]>([...running.keys()].map((name) => [name, []]))
  for (const { port } of running.values()) await measure(folder, { port, row, seconds: 1 })
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { port }] of running) {
      rates.get(name)?.push(await measure(folder, { port, row, seconds }))
    }
  }
  return rates
}

/** Peers send the bytes and headers that Vitrine sends, but for those of the connection. */
async function writeReference(port: number, row: Row, file: string): Promise<void> {
  const { path, method = 'GET', headers, body } = row
  const url = `http://127.0.0.1:${String(port)}${path}`
  const answer = await fetch(url, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  })
  const ofTheConnection = ['connection', 'date', 'keep-alive', 'transfer-encoding']
  const fields = [...answer.headers].filter(([name]) => !ofTheConnection.includes(name))
  const content = Buffer.from(await answer.arrayBuffer()).toString('base64')
  const reference = { status: answer.status, headers: Object.fromEntries(fields), body: content }
  await writeFile(file, JSON.stringify(reference))
}
