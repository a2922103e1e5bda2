import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

const program = `
  import { DatabaseSync } from 'node:sqlite'
  const [path, kind] = process.argv.slice(1)
  const database = new DatabaseSync(path)
  database.exec('BEGIN ' + kind)
  console.log('held')
  process.stdin.once('end', () => {
    database.exec('COMMIT')
    database.close()
  }).resume()
`

/** Another process takes the lock of a database, and has it until `release` has been called. */
export async function holdLock(t: TestContext, path: string, kind: 'IMMEDIATE' | 'EXCLUSIVE') {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, path, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return {
    release: async () => {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}
