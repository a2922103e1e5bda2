import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Row } from './rows.ts'

const run = promisify(execFile)

const connections = 32

/** Requests answered in a second, by wrk on the second core; throws when any answer is not as expected. */
export async function measure(
  folder: string,
  { port, row, seconds }: { port: number; row: Row; seconds: number },
): Promise<number> {
  const script = join(folder, 'request.lua')
  await writeFile(script, toLua(row))
  const url = `http://127.0.0.1:${String(port)}${row.path}`
  const options = ['-t1', `-c${String(connections)}`, `-d${String(seconds)}s`, '-s', script]
  const { stdout } = await run('taskset', ['-c', '1', 'wrk', ...options, url])
  const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout)
  if (failed) throw new Error(`${row.name}: ${failed[0]}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}

function toLua({ method = 'GET', headers = {}, body }: Row): string {
  const fields = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`,
  )
  const content = body === undefined ? '' : `wrk.body = ${quote(body)}`
  return [`wrk.method = ${quote(method)}`, ...fields, content].join('\n')
}

function quote(text: string): string {
  return `[==[${text}]==]`
}
