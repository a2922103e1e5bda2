import { join } from 'node:path'
import { start } from './contenders.ts'
import { fill, type Place } from './fill.ts'
import type { Running } from './processes.ts'
import type { Figure } from './results.ts'
import type { Request } from './rows.ts'
import { measureSlices, toRatios } from './slices.ts'

const many = 100_000
const settings = { LOG_LEVEL: 'warn', INSPECTOR: 'off', SANDBOX_RECORDS: '20' }
const headers = { accept: 'application/json', 'content-type': 'application/json' }
const toKey = (index: number) => `sandbox-of-visitor-${String(index)}`
const jobs: Readonly<Record<string, Request>> = {
  list: { path: `/s/${toKey(0)}/posts?n=$n`, headers },
  create: { path: `/s/${toKey(0)}/posts?n=$n`, headers, body: '{"title":"a post","views":12}' },
}

/** What a request in one sandbox costs, when it is the only one, and when there are 100,000, each of 20 records. */
export async function measureSandboxes({ folder, rounds, library }: Place): Promise<Figure[]> {
  const servers = new Map<'one' | 'many', Running>()
  try {
    for (const [name, count] of [
      ['one', 1],
      ['many', many],
    ] as const) {
      const place = { folder: join(folder, name), rounds, library }
      await fill(place)
      const server = await start('vitrine', { settings, data: [] }, place.folder)
      servers.set(name, server)
      await createSandboxes(server, count)
    }
    const figures: Figure[] = []
    for (const [job, request] of Object.entries(jobs)) {
      const toLoad = () => ({ request, count: 2000, folder })
      const slices = await measureSlices(servers, toLoad, rounds)
      const cpu = slices.get('many')?.map((slice) => slice.cpu) ?? []
      const title = `CPU time to ${job} in one of ${many.toLocaleString('en')} sandboxes`
      const ratios = toRatios(slices.get('many'), slices.get('one'))
      figures.push(
        { title, unit: 'µs', values: cpu },
        { title: `${title} ÷ in the only one`, unit: '', values: ratios, goal: { atMost: 1.1 } },
      )
    }
    return figures
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()))
  }
}

/** The first write begins a sandbox, with a copy of 20 posts. */
async function createSandboxes({ origin }: Running, count: number): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < count) {
      const url = `${origin}/s/${toKey((next += 1) - 1)}/posts`
      const response = await fetch(url, { method: 'POST', headers, body: '{"title":"the first"}' })
      await response.arrayBuffer()
      if (response.status !== 201) throw new Error(`${url}: ${String(response.status)}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
}
