import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Contender } from './rows.ts'

const run = promisify(execFile)
const here = import.meta.dirname

/** Of a virtual environment with httpbin and gunicorn. */
export const python = join(here, '.python/bin/python')
export const goHttpbin = join(here, '.go/go-httpbin')
/** The example program of PocketBase, which has no other one in its module. */
export const pocketbase = join(here, '.go/base')

/** Undefined for a program that is not installed. */
export async function readVersion(name: Contender): Promise<string | undefined> {
  try {
    return await find(name)
  } catch {
    return undefined
  }
}

async function find(name: Contender): Promise<string | undefined> {
  switch (name) {
    case 'vitrine':
      return await readPackageVersion('..')
    case 'json-server':
    case 'json-server-beta':
      return await readPackageVersion(`node_modules/${name}`)
    case 'nginx':
      return /nginx\/(\S+)/.exec((await run('nginx', ['-v'])).stderr)?.[1]
    case 'httpbin': {
      const print =
        'import gunicorn; from importlib.metadata import version; print(version("httpbin"))'
      return (await run(python, ['-c', print])).stdout.trim()
    }
    case 'go-httpbin':
      return await readGoVersion(goHttpbin)
    case 'pocketbase':
      return await readGoVersion(pocketbase)
  }
}

async function readPackageVersion(folder: string): Promise<string> {
  const text = await readFile(join(here, folder, 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** Go writes the version of the main module into the program. */
async function readGoVersion(program: string): Promise<string | undefined> {
  return /\nmod\t\S+\tv([\d.]+)/.exec(await readFile(program, 'latin1'))?.[1]
}
