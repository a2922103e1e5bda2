import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { badRequest } from '../http/errors/http-error.ts'

export type TestTexts = (texts: readonly (string | undefined)[]) => Promise<readonly boolean[]>

/** Of one request, with all its patterns. Matching a pattern can take exponential time. */
const maxMatchingMs = 1000

/** No two ways to match the same text, so that matching needs no thread of its own. */
const plainPattern = /^\^?[\p{L}\p{N} _,:;@#%&=!'"<>~/-]{0,100}\$?$/u

/** Whether a text matches one of the regular expressions. Throws 400 for an invalid or a slow one. */
export function createPatternTest(name: string, patterns: readonly string[]): TestTexts {
  const tests = patterns.map((pattern) => parsePattern(name, pattern))
  if (patterns.every((pattern) => plainPattern.test(pattern))) {
    return (texts) =>
      Promise.resolve(
        texts.map((text) => text !== undefined && tests.some((test) => test.test(text))),
      )
  }
  let milliseconds = maxMatchingMs
  return (texts) =>
    inTurn(async () => {
      worker ??= await startWorker()
      const start = performance.now()
      const result = await matchInWorker(worker, { patterns, texts }, milliseconds)
      milliseconds -= performance.now() - start
      if (result) return result
      worker = undefined
      throw badRequest(`${name} takes too long: a list is matched for at most 1 second.`)
    })
}

function parsePattern(name: string, pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'i')
  } catch (cause) {
    throw badRequest(`${name} must be a regular expression.`, cause)
  }
}

let worker: Worker | undefined
let lastTurn: Promise<unknown> = Promise.resolve()

/** One worker for all requests: a page of records at a time, so that they take turns. */
function inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
  const turn = lastTurn.then(run)
  lastTurn = turn.catch(() => undefined)
  return turn
}

// As text, since a bundle has no file of its own for it.
const source = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', ({ patterns, texts }) => {
  const tests = patterns.map((pattern) => new RegExp(pattern, 'i'))
  parentPort.postMessage(texts.map((text) => text !== undefined && tests.some((test) => test.test(text))))
})`

async function startWorker(): Promise<Worker> {
  const started = new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64 } })
  await once(started, 'online')
  return started
}

interface Batch {
  patterns: readonly string[]
  texts: readonly (string | undefined)[]
}

/** Undefined after the time limit, which ends the worker. */
async function matchInWorker(running: Worker, batch: Batch, milliseconds: number) {
  running.ref()
  running.postMessage(batch)
  try {
    const signal = AbortSignal.timeout(Math.max(1, Math.round(milliseconds)))
    const [result] = (await once(running, 'message', { signal })) as [boolean[]]
    running.unref()
    return result
  } catch {
    await running.terminate()
    return undefined
  }
}
