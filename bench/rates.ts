import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sendsOwnResponse, isInstalled, start } from './contenders.ts'
import type { Place } from './figures.ts'
import { fill } from './fill.ts'
import { measure, type Request, type Turn } from './measure.ts'
import type { Running } from './processes.ts'
import type { Contender, Row } from './rows.ts'

interface Turns {
  turns: Record<string, Turn[]>
  /** Contenders that are not installed. */
  missing: Contender[]
}

/** The rounds of each contender. */
export async function measureRates(row: Row, place: Place & { seconds: number }): Promise<Turns> {
  const { folder, library, rounds, seconds } = place
  const running = new Map<Contender, Running>()
  const missing: Contender[] = []
  try {
    await fill(folder, { library, records: row.records })
    for (const contender of new Set<Contender>(['vitrine', row.limit, ...row.peers])) {
      if (await isInstalled(contender)) running.set(contender, await open(contender, row, folder))
      else missing.push(contender)
    }
    const send = (name: Contender, server: Running, length: number) =>
      measure(server, toRequest(name, row), { folder, seconds: length })
    for (const [name, server] of running) await send(name, server, 1)
    const turns: Turns['turns'] = {}
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, server] of running) {
        ;(turns[name] ??= []).push(await send(name, server, seconds))
      }
    }
    return { turns, missing }
  } finally {
    await Promise.all([...running.values()].map(({ stop }) => stop()))
  }
}

/** Starts a contender and checks that its response equals Vitrine's. */
async function open(contender: Contender, row: Row, folder: string): Promise<Running> {
  const reference = join(folder, 'reference.json')
  const server = await start(contender, row, { folder, reference })
  try {
    const response = await send(server.port, toRequest(contender, row))
    if (contender === 'vitrine') await writeFile(reference, JSON.stringify(response))
    else await compare(contender, response, reference)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** The only fixed JSON of httpbin; it is as long as ours. */
function toRequest(contender: Contender, row: Row): Request {
  return contender === 'httpbin' ? { path: '/json' } : row
}

type PeerResponse = Awaited<ReturnType<typeof send>>

async function send(port: number, { path, method = 'GET', headers, body }: Request) {
  const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  })
  // Peers send the bytes and headers of Vitrine, except the headers of the connection.
  const ofTheConnection = ['connection', 'date', 'keep-alive', 'transfer-encoding']
  const fields = [...response.headers].filter(([name]) => !ofTheConnection.includes(name))
  const content = Buffer.from(await response.arrayBuffer()).toString('base64')
  return { status: response.status, headers: Object.fromEntries(fields), body: content }
}

async function compare(
  contender: Contender,
  response: PeerResponse,
  reference: string,
): Promise<void> {
  const expected = JSON.parse(await readFile(reference, 'utf8')) as PeerResponse
  const isSame = response.body === expected.body || sendsOwnResponse(contender)
  if (response.status === expected.status && isSame) return
  throw new Error(`${contender} responded ${String(response.status)}, or with another body`)
}
