// Runs a public instance under hostile and friendly traffic, with restarts: `npm run soak -- 600` takes ten minutes.
// With --strict, the time of the friendly responses is asserted too, which depends on the machine.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createClient, type Report } from './friendly.ts'
import { judgeClients, judgeDescriptors, judgeMemory } from './judge.ts'
import { findFaults, startService, waitUntilQuiet, type Sample, type Service } from './service.ts'

const defaultSeconds = 1800
const friendlyClients = 8
/** The restarts are in this part of the time: memory is compared in the rest, in which one process runs. */
const restartingPart = 0.4
/** The longest limits of PRESET=public are 60 s for a request and 30 s for a client that does not read. */
const quietSeconds = 120

function startHostile(origin: string, problems: string[]): ChildProcess {
  const file = join(import.meta.dirname, 'hostile.ts')
  const child = spawn(process.execPath, [file, origin], { stdio: ['ignore', 'pipe', 'inherit'] })
  let rest = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { problem, counts } = JSON.parse(line) as { problem?: string; counts?: object }
      if (problem !== undefined) problems.push(problem)
      if (counts) console.log('Attacks:', JSON.stringify(counts))
    }
  })
  return child
}

async function sampleRegularly(service: Service, samples: Sample[], isOver: () => boolean) {
  for (let count = 0; !isOver(); count += 1) {
    service.assertRunning()
    if (!service.isDown()) {
      const sample = service.sample()
      samples.push(sample)
      if (count % 60 === 0)
        console.log(
          `${String(Math.round(sample.at))} s: ${String(Math.round(sample.residentBytes / 1024 ** 2))} MiB, ${String(sample.descriptors)} descriptors`,
        )
    }
    await setTimeout(1000)
  }
}

async function restartRegularly(service: Service, seconds: number): Promise<void> {
  const count = Math.max(2, Math.round(seconds / 120))
  for (let number = 0; number < count; number += 1) {
    await setTimeout((seconds * restartingPart * 1000) / count)
    await service.restart(number % 2 === 0 ? 'SIGKILL' : 'SIGTERM')
  }
}

async function soak(service: Service, seconds: number, isStrict: boolean): Promise<string[]> {
  const report: Report = { latencies: [], requests: 0, repeated: 0, shed: 0, failures: [] }
  const problems: string[] = []
  const samples: Sample[] = []
  const clients = Array.from({ length: friendlyClients }, (_, index) =>
    createClient(service, index + 1, report),
  )
  const before = service.sample()
  const hostile = startHostile(service.origin, problems)
  const endAt = performance.now() + seconds * 1000
  const isOver = () => performance.now() >= endAt
  await Promise.all([
    sampleRegularly(service, samples, isOver),
    restartRegularly(service, seconds),
    ...clients.map((client) => client.work(isOver)),
  ])
  hostile.kill('SIGTERM')
  if (hostile.exitCode === null) await once(hostile, 'exit')
  for (const client of clients) client.close()
  problems.push(...(await waitUntilQuiet(service, quietSeconds)))
  const after = service.sample()
  problems.push(...judgeMemory(samples, service.pid()), ...judgeDescriptors(samples, before, after))
  await service.restart('SIGKILL')
  let verified = 0
  for (const client of clients) verified += await client.verify()
  for (const client of clients) client.close()
  console.log(`Acknowledged writes: ${String(verified)} compared after a kill`)
  return [...problems, ...judgeClients(report, isStrict), ...findFaults(service)]
}

const isStrict = process.argv.includes('--strict')
const seconds = Number(process.argv.slice(2).find((arg) => /^\d+$/.test(arg)) ?? defaultSeconds)
const folder = await mkdtemp(join(tmpdir(), 'vitrine-soak-'))
const endings: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })]
try {
  const service = await startService({ after: (end) => endings.unshift(end) }, folder)
  const problems = await soak(service, seconds, isStrict)
  for (const problem of problems) console.error(`soak: ${problem}`)
  process.exitCode = problems.length > 0 ? 1 : 0
} finally {
  for (const end of endings) await end()
}
