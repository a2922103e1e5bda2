import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contender } from './rows.ts'
import { toRatios, toSpread, type Slice, type Spread } from './slices.ts'
import { readVersion } from './versions.ts'

/** A measurement without a peer. */
export interface Figure {
  title: string
  unit: string
  /** One for each round. */
  values: readonly number[]
  goal?: { atLeast: number } | { atMost: number }
}

export interface Cost {
  program: Contender
  version: string
  cpu: Spread
  rate: Spread
  /** The CPU time of the program divided by that of Vitrine. */
  ratio: Spread
}

export type FigureResult = Omit<Figure, 'values'> & { spread: Spread }

export interface Result {
  day: string
  /** Of Vitrine and its peers, in this order. */
  costs?: readonly Cost[]
  /** The shares of parts of Vitrine in its CPU time, the largest first, if a goal is missed. */
  parts?: Readonly<Record<string, number>>
  figures?: readonly FigureResult[]
}

/** By the name of the row. */
export type Results = Readonly<Partial<Record<string, Result>>>

const file = join(import.meta.dirname, 'results.json')

export async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(file, 'utf8')) as Results
}

export async function writeResults(results: Results): Promise<void> {
  const toShort = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value
  // A line for each row, so that a change of one is a change of one line.
  const lines = Object.entries(results).map(
    ([name, result]) => `${JSON.stringify(name)}: ${JSON.stringify(result, toShort)}`,
  )
  await writeFile(file, `{\n${lines.join(',\n')}\n}\n`)
}

export async function toCosts(slices: ReadonlyMap<Contender, readonly Slice[]>): Promise<Cost[]> {
  const own = slices.get('vitrine')
  const costs = [...slices].map(async ([program, each]) => ({
    program,
    version: (await readVersion(program)) ?? '',
    cpu: toSpread(each.map(({ cpu }) => cpu)),
    rate: toSpread(each.map(({ rate }) => rate)),
    ratio: toSpread(toRatios(each, own)),
  }))
  return Promise.all(costs)
}

export function toFigureResults(figures: readonly Figure[]) {
  return figures.map(({ values, ...figure }) => ({ ...figure, spread: toSpread(values) }))
}
