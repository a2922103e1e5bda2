import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { openSqliteDatabase } from '../../src/stores/sqlite/database.ts'
import { startVitrine } from '../support/start-vitrine.ts'

const users = 200_000
const mostGrowthMiB = 50
// Long enough for every representation of the list to be larger than the growth that is allowed.
const longName = 'é'.repeat(190)

/** Fills a database file as 200,000 requests would have. */
function fill(): void {
  const database = openSqliteDatabase(databaseUrl)
  const insert = database.prepare(
    `INSERT INTO records (resource, id, document, version, created_at, updated_at)
     VALUES ('users', ?, ?, 1, ?, ?)`,
  )
  const hash = `$argon2id$v=19$m=19456,t=2,p=1$${'s'.repeat(22)}$${'h'.repeat(43)}`
  const document = JSON.stringify({ name: longName, password: hash })
  database.exec('BEGIN')
  for (let index = 0; index < users; index += 1) {
    const time = new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3)).toISOString()
    insert.run(toId(index), document, time, time)
  }
  database.prepare(`INSERT INTO record_counts VALUES ('users', ?)`).run(users)
  database.exec('COMMIT')
  database.close()
}

function toId(index: number): string {
  return `user-${String(index).padStart(6, '0')}`
}

const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
const databaseUrl = `sqlite:${join(folder, 'large.db')}`
before(() => {
  fill()
})
after(() => {
  rmSync(folder, { recursive: true })
})

async function startFilled(t: TestContext) {
  const settings = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' }
  const { origin, process: child } = await startVitrine(t, settings)
  const pid = child.pid ?? assert.fail('the process has no id')
  await (await open(`${origin}/users?per_page=1000`, 'text/html')).resume().toArray()
  return { origin, watch: await watchMemory(pid) }
}

/** Follows how far the resident memory of a process has grown at most, in MiB. */
async function watchMemory(pid: number) {
  const resident = async () => {
    const status = await readFile(`/proc/${String(pid)}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
  }
  const before = await resident()
  let growth = 0
  return {
    look: async () => {
      growth = Math.max(growth, (await resident()) - before)
    },
    growth: () => growth,
  }
}

async function open(url: string, accept: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  get(url, { headers: { accept }, agent: false }, resolve).on('error', reject)
  return promise
}

/** Counts the records in the list, and checks that all are there in order. */
function createCounter() {
  let count = 0
  let rest = ''
  return {
    add: (chunk: Buffer) => {
      const text = rest + chunk.toString('latin1')
      let end = 0
      for (const { 0: id, index } of text.matchAll(/user-\d{6}/g)) {
        // A page has the id in the link and in the checkbox of a row.
        if (id !== toId(count - 1)) {
          assert.equal(id, toId(count))
          count += 1
        }
        end = index + id.length
      }
      rest = text.slice(Math.max(end, text.length - toId(0).length + 1))
    },
    count: () => count,
  }
}

const isLinux = process.platform === 'linux'

const types = ['text/html', 'application/json', 'text/plain', 'text/csv', 'application/x-ndjson']

for (const accept of types) {
  test(
    `200,000 users arrive as ${accept} while the memory of the process stays flat`,
    { skip: !isLinux },
    async (t) => {
      const { origin, watch } = await startFilled(t)
      const counter = createCounter()
      const list = await open(`${origin}/users`, accept)
      assert.equal(list.statusCode, 200)
      let bytes = 0
      let results = 0
      for await (const chunk of list as AsyncIterable<Buffer>) {
        counter.add(chunk)
        bytes += chunk.length
        if (bytes >= results * 1024 ** 2) {
          results += 1
          await watch.look()
        }
      }
      await watch.look()
      assert.equal(counter.count(), users)
      assert.ok(bytes > mostGrowthMiB * 1024 ** 2)
      t.diagnostic(`grew by ${watch.growth().toFixed(1)} MiB over ${String(bytes)} bytes`)
      assert.ok(watch.growth() < mostGrowthMiB, `grew by ${String(watch.growth())} MiB`)
    },
  )

  test(
    `a client that reads 200,000 users as ${accept} in small steps does not fill the memory`,
    { skip: !isLinux },
    async (t) => {
      const { origin, watch } = await startFilled(t)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      t.after(() => {
        agent.destroy()
      })
      const list = await open(`${origin}/users`, accept)
      const chunks = list.iterator() as AsyncIterator<Buffer, undefined>
      const counter = createCounter()
      for (let step = 1; step <= 300; step += 1) {
        const { value: chunk } = await chunks.next()
        if (chunk !== undefined) counter.add(chunk)
        // During each response, a process that did not wait could have continued.
        for (let turn = 1; turn <= 5; turn += 1) await turnOf(`${origin}/health`, agent)
        await watch.look()
      }
      assert.ok(counter.count() < users)
      t.diagnostic(`grew by ${watch.growth().toFixed(1)} MiB`)
      assert.ok(watch.growth() < mostGrowthMiB, `grew by ${String(watch.growth())} MiB`)
      for (;;) {
        const { value: chunk, done = false } = await chunks.next()
        if (done || chunk === undefined) break
        counter.add(chunk)
      }
      assert.equal(counter.count(), users)
    },
  )
}

async function turnOf(url: string, agent: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  get(url, { agent }, (response) => {
    response.resume().on('end', () => {
      resolve(undefined)
    })
  }).on('error', reject)
  return promise
}
