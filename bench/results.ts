import { readFile, writeFile } from 'node:fs/promises'
import { cpus, release, type } from 'node:os'
import { join } from 'node:path'
import { loadGenerator, type Turn } from './measure.ts'

/** A measurement without peers. */
export interface Figure {
  title: string
  unit: string
  /** One for each round. */
  values: readonly number[]
  target?: { atLeast: number } | { atMost: number }
}

/** The results with a number of records. */
export interface Point {
  records: number
  show: readonly Turn[]
  create: readonly Turn[]
}

export type Measured =
  | { kind: 'rates'; turns: Record<string, readonly Turn[]>; missing: readonly string[] }
  | { kind: 'figures'; figures: readonly Figure[] }
  | { kind: 'growth'; points: readonly Point[] }

export type Result = Measured & { circumstances: string }

const file = join(import.meta.dirname, 'results.json')

/** The last result of each row by its name. */
export async function readResults(): Promise<Record<string, Result>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, Result>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

export async function keepResult(name: string, measured: Measured, how: string): Promise<Result> {
  const results = await readResults()
  const result = { circumstances: describeCircumstances(how), ...measured }
  await writeFile(file, `${JSON.stringify({ ...results, [name]: result }, null, 1)}\n`)
  return result
}

/** Day, machine, versions and method. Only results of the same circumstances are comparable. */
function describeCircumstances(how: string): string {
  const [cpu] = cpus()
  const parts = [
    new Date().toISOString().slice(0, 10),
    `Node ${process.version}`,
    cpu?.model.trim() ?? 'an unknown processor',
    `${String(cpus().length)} cores`,
    `${type()} ${release()}`,
    loadGenerator,
    how,
  ]
  return parts.join(', ')
}
