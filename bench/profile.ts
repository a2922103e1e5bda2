import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { start } from './contenders.ts'
import { fill, type Place } from './fill.ts'
import type { Row } from './rows.ts'
import { measureSlice } from './slices.ts'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  /** In microseconds, as `startTime`, on the clock of `process.hrtime()`. */
  timeDeltas: number[]
  startTime: number
}

/** The share of the CPU time of a request by parts of the program, the largest first. */
export async function measureParts(row: Row, place: Place): Promise<Record<string, number>> {
  const { folder } = place
  await fill(place, row.records)
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=250']
  const vitrine = await start('vitrine', { ...row, flags }, folder)
  const load = { request: row.request, count: row.slice ?? 20_000, folder }
  await measureSlice(vitrine, load)
  await measureSlice(vitrine, load)
  const begin = Number(process.hrtime.bigint() / 1000n)
  await measureSlice(vitrine, load)
  await measureSlice(vitrine, load)
  const end = Number(process.hrtime.bigint() / 1000n)
  await vitrine.stop()
  const file = (await readdir(folder)).find((name) => name.endsWith('.cpuprofile')) ?? ''
  const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as Profile
  return toShares(profile, begin, end)
}

function toShares(profile: Profile, begin: number, end: number): Record<string, number> {
  const parts = toParts(profile)
  const times = new Map<string, number>()
  let now = profile.startTime
  let total = 0
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0
    now += delta
    const part = parts.get(id)
    if (part === undefined || now < begin || now > end) continue
    times.set(part, (times.get(part) ?? 0) + delta)
    total += delta
  }
  const shares = [...times].map(([part, time]) => [part, time / total] as const)
  return Object.fromEntries(shares.toSorted(([, a], [, b]) => b - a))
}

/** A function of C++ counts as a part of its caller. */
function toParts({ nodes }: Profile): Map<number, string | undefined> {
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((one) => [one, id])),
  )
  const parts = new Map<number, string | undefined>()
  // Parents come before their children.
  for (const { id, callFrame } of nodes) {
    parts.set(id, toPart(callFrame) ?? parts.get(parents.get(id) ?? 0))
  }
  return parts
}

const names: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'outside JavaScript',
  writev: 'socket writes',
  writeBuffer: 'socket writes',
  writeLatin1String: 'socket writes',
  writeUtf8String: 'socket writes',
}

function toPart({ functionName, url }: Profile['nodes'][number]['callFrame']): string | undefined {
  if (url === '') return names[functionName]
  if (url.startsWith('node:')) return 'Node.js'
  const [, part] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  return part ?? /src\/[^/]+(?:\/[^/]+(?=\/))?/.exec(url)?.[0]
}
