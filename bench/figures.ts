import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyRepository, countBytes, installPackage } from '../test/package/installed-package.ts'
import { start } from './contenders.ts'
import { fill, type Place } from './fill.ts'
import { forgetPeak, readMemory, type Running } from './processes.ts'
import type { Figure } from './results.ts'
import { showRequest } from './rows.ts'
import { measureSandboxes } from './sandboxes.ts'
import {
  measurePostgresAtScale,
  measureReplicas,
  measureSqliteAtScale,
  withPostgres,
} from './scaling.ts'
import { measureTimes, toSpread } from './slices.ts'
import { measureUpload } from './upload.ts'

const run = promisify(execFile)

type Setup = Parameters<typeof start>[1]
type FigureRows = Readonly<Record<string, (place: Place) => Promise<readonly Figure[]>>>

/** Measurements without peers, by the name of the row. */
export const figureRows: FigureRows = {
  ndjson: measureNdjson,
  latency: measureLatencyOf(1_000_000),
  'latency-small': measureLatencyOf(100_000),
  'latency-postgres': measureLatencyOnPostgres,
  upload: measureUploads,
  start: measureStart,
  idle: measureIdle,
  install: measureInstall,
  replicas: measureReplicas,
}

/** Take half an hour, so they are measured by their names only. */
export const scaleRows: FigureRows = {
  'scale-sqlite': measureSqliteAtScale,
  'scale-postgres': measurePostgresAtScale,
  'latency-large': measureLatencyOf(10_000_000),
  sandboxes: measureSandboxes,
}

async function measureNdjson(place: Place): Promise<Figure[]> {
  const { folder, rounds } = place
  const records = 1_000_000
  await fill(place, records)
  return withVitrine(folder, async ({ port, pid }) => {
    const program = join(import.meta.dirname, 'count-lines.js')
    const url = `http://127.0.0.1:${String(port)}/locations`
    const { now } = await readMemory(pid)
    await forgetPeak(pid)
    const rates: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const { stdout } = await run('taskset', ['-c', '1', process.execPath, program, url])
      const { lines, seconds } = JSON.parse(stdout) as { lines: number; seconds: number }
      if (lines !== records) throw new Error(`the list has ${String(lines)} lines`)
      rates.push(lines / seconds)
    }
    const { peak } = await readMemory(pid)
    const title = 'list of 1,000,000 records as NDJSON'
    return [
      { title, unit: 'records/s', values: rates, goal: { atLeast: 250_000 } },
      { title: `${title}: growth`, unit: 'MB', values: [peak - now], goal: { atMost: 50 } },
    ]
  })
}

/** The arguments of curl for what another client does, again and again; FOLDER has a large file. */
const jobs: Readonly<Record<string, readonly string[]>> = {
  'nothing else happens': [],
  'all records are streamed': ['-H', 'accept: application/x-ndjson', '/locations'],
  'the records are searched': ['/locations?q=nowhere'],
  'a field without an index is compared': ['/locations?note=nothing'],
  'records are sorted by a field without an index': ['/locations?sort=note&per_page=20&page=101'],
  'a HAR file is downloaded': ['/inspector.har'],
  '100 MB are uploaded': ['-F', 'upfiles=@FOLDER/large.bin', '/profile'],
  '500 event streams are open': ['-Z', '--parallel-max', '500', '/inspector/events'],
}

/** On SQLite with so many locations. */
function measureLatencyOf(records: number) {
  return async (place: Place): Promise<Figure[]> => {
    await fill(place, records)
    return measureLatency(place, `${records.toLocaleString('en')} records`)
  }
}

async function measureLatencyOnPostgres(place: Place): Promise<Figure[]> {
  await fill(place)
  return withPostgres(1_000_000, ({ url }) =>
    measureLatency(place, '1,000,000 records on PostgreSQL', { DATABASE_URL: url }),
  )
}

/** Of requests for one record after another, while another client does each job. */
async function measureLatency(
  { folder, rounds }: Place,
  data: string,
  database: Setup['settings'] = {},
): Promise<Figure[]> {
  await writeFile(join(folder, 'large.bin'), Buffer.alloc(100_000_000, 'glass'))
  const limits = { INSPECTOR: 'all', LOG_LEVEL: 'warn', MAX_UPLOAD_BYTES: '200000000' }
  const use = async (vitrine: Running) => {
    const load = { request: showRequest, count: 3000, folder, connections: 1 }
    const measure = async () => toSpread(await measureTimes(vitrine, load))
    await measure()
    const figures: Figure[] = []
    for (const [job, args] of Object.entries(jobs)) {
      const values: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const spread = await whileBusy(vitrine, args, { folder, use: measure })
        values.push(spread.p99)
      }
      const title = `p99 of the time to show one of ${data}, while ${job}`
      figures.push({ title, unit: 'µs', values, goal: { atMost: 10_000 } })
    }
    return figures
  }
  return withVitrine(folder, use, { settings: { ...limits, ...database } })
}

/**
 * Curl expands the range and sends no fragment. With the idle policy of the scheduler, it does not
 * delay the client that is measured, on the same core.
 */
async function whileBusy<T>(
  { origin }: Running,
  args: readonly string[],
  { folder, use }: { folder: string; use: () => Promise<T> },
): Promise<T> {
  if (args.length === 0) return use()
  const path = args.at(-1) ?? ''
  const options = args.slice(0, -1).map((one) => one.replace('FOLDER', folder))
  const client = ['chrt', '--idle', '0', 'curl', '-sN', ...options, `${origin}${path}#[1-10000]`]
  const curl = spawn('taskset', ['-c', '1', ...client], { stdio: 'ignore' })
  const ended = once(curl, 'exit')
  try {
    const result = await use()
    if (curl.exitCode !== null) throw new Error(`curl ended with ${String(curl.exitCode)}`)
    return result
  } finally {
    curl.kill()
    await ended
  }
}

async function measureUploads(place: Place): Promise<Figure[]> {
  const { folder, rounds } = place
  const bytes = 100 * 1024 ** 2
  const settings = { MAX_UPLOAD_BYTES: String(2 * bytes) }
  const rates: number[] = []
  const growths: number[] = []
  await fill(place)
  for (let round = 0; round < rounds; round += 1) {
    const { megabytesPerSecond, growthMegabytes } = await withVitrine(
      folder,
      (running) => measureUpload(running, bytes),
      { settings },
    )
    rates.push(megabytesPerSecond)
    growths.push(growthMegabytes)
  }
  const title = 'upload of 100 MiB'
  return [
    { title, unit: 'MB/s', values: rates, goal: { atLeast: 400 } },
    { title: `${title}: growth`, unit: 'MB', values: growths, goal: { atMost: 40 } },
  ]
}

async function measureStart(place: Place): Promise<Figure[]> {
  return measureInstalled(place, async ({ folder }, setup) => {
    const values: number[] = []
    for (let round = 0; round < 10; round += 1) {
      const before = performance.now()
      await withVitrine(
        folder,
        () => {
          values.push(performance.now() - before)
          return Promise.resolve()
        },
        setup,
      )
    }
    return { title: 'start to the first response', unit: 'ms', values, goal: { atMost: 200 } }
  })
}

async function measureIdle(place: Place): Promise<Figure[]> {
  return measureInstalled(place, async ({ folder }, setup) => {
    const values: number[] = []
    for (let round = 0; round < 4; round += 1) {
      const memory = await withVitrine(
        folder,
        async ({ pid }) => {
          await new Promise((resolve) => setTimeout(resolve, 10_000))
          return readMemory(pid)
        },
        setup,
      )
      values.push(memory.now)
    }
    const title = 'memory when idle, ten seconds after the first response'
    return { title, unit: 'MB', values, goal: { atMost: 85 } }
  })
}

/** Measures the installed package, which the goal is for, and the repository. */
async function measureInstalled(
  place: Place,
  measureOne: (place: Place, setup: Setup) => Promise<Figure>,
): Promise<Figure[]> {
  await fill(place)
  const installed = await installPackage(await copyRepository(place.folder), place.folder)
  const ofPackage = await measureOne(place, { root: join(installed, 'node_modules/vitrine') })
  const { title, unit, values } = await measureOne(place, {})
  return [
    { ...ofPackage, title: `${ofPackage.title}, installed package` },
    { title: `${title}, repository`, unit, values },
  ]
}

async function measureInstall({ folder }: Place): Promise<Figure[]> {
  const installed = await installPackage(await copyRepository(folder), folder)
  const bytes = await countBytes(join(installed, 'node_modules'))
  const title = 'size of the installed package, without drivers'
  return [{ title, unit: 'MB', values: [bytes / 1e6], goal: { atMost: 20 } }]
}

async function withVitrine<T>(
  folder: string,
  use: (running: Running) => Promise<T>,
  setup: Setup = {},
): Promise<T> {
  const vitrine = await start('vitrine', setup, folder)
  try {
    return await use(vitrine)
  } finally {
    await vitrine.stop()
  }
}
