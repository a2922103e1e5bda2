// `node:http` with the INSERT of Vitrine, in batches of one turn of the event loop as there.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { setImmediate } from 'node:timers'
import { openSqliteDatabase } from '../../src/stores/sqlite/database.ts'
import { port, reference } from './reference.js'

const database = openSqliteDatabase(process.env.DATABASE_URL)
const insert = database.prepare(
  `INSERT INTO records (resource, id, document, version, created_at, updated_at)
   VALUES ('locations', ?, ?, 1, ?, ?)`,
)
const { status, headers, body } = reference
let waiting = []

function commit() {
  const batch = waiting
  waiting = []
  const time = new Date().toISOString()
  database.exec('BEGIN')
  for (const { document } of batch) insert.run(randomUUID(), document, time, time)
  database.exec('COMMIT')
  for (const { response } of batch) response.writeHead(status, headers).end(body)
}

createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method === 'GET') return response.end()
    const document = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
    if (waiting.push({ document, response }) === 1) setImmediate(commit)
  })
}).listen(port, '127.0.0.1')
