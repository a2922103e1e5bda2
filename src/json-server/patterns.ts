import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { badRequest } from '../http/errors/http-error.ts'
import { performance, timeoutSignal } from '../timers.ts'

type Texts = readonly (string | undefined)[]

/** Of one request, with all its patterns. Matching a pattern can take exponential time. */
const maxMatchingMs = 1000

/** No two ways to match the same text, so that matching needs no thread of its own. */
const plainPattern = /^\^?[\p{L}\p{N} _,:;@#%&=!'"<>~/-]{0,100}\$?$/u

/** Whether a text matches one of the regular expressions. Throws 400 for an invalid or a slow one. */
export function createPatternTest(name: string, patterns: readonly string[]) {
  try {
    match(patterns, [])
  } catch (cause) {
    throw badRequest(`${name} must be a regular expression.`, cause)
  }
  let milliseconds = maxMatchingMs
  return async (texts: Texts): Promise<readonly boolean[]> => {
    if (patterns.every((pattern) => plainPattern.test(pattern))) return match(patterns, texts)
    return inTurn(async () => {
      worker ??= await startWorker()
      const start = performance.now()
      const results = await matchInWorker(worker, [patterns, texts], milliseconds)
      milliseconds -= performance.now() - start
      if (results) return results
      throw badRequest(`${name} takes too long: a list is matched for at most 1 second.`)
    })
  }
}

/** Runs in the worker too, so that it uses nothing around it. */
function match(patterns: readonly string[], texts: Texts): readonly boolean[] {
  const tests = patterns.map((pattern) => new RegExp(pattern, 'i'))
  return texts.map((text) => text !== undefined && tests.some((test) => test.test(text)))
}

let worker: Worker | undefined

/** One worker for all requests: a page of records at a time, so that they take turns. */
const inTurn = pLimit(1)

// As text, since a bundle has no file of its own for it.
const source = `const match = ${match.toString()}
const { parentPort } = require('node:worker_threads')
parentPort.on('message', ([patterns, texts]) => parentPort.postMessage(match(patterns, texts)))`

async function startWorker(): Promise<Worker> {
  const started = new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64 } })
  await once(started, 'online')
  return started
}

/** Undefined after the time limit, which ends the worker. */
async function matchInWorker(
  running: Worker,
  sent: Parameters<typeof match>,
  milliseconds: number,
) {
  running.ref()
  running.postMessage(sent)
  try {
    const signal = timeoutSignal(Math.max(1, Math.round(milliseconds)))
    // The worker posts nothing else.
    const [results] = (await once(running, 'message', { signal })) as [boolean[]]
    running.unref()
    return results
  } catch {
    worker = undefined
    await running.terminate()
    return undefined
  }
}
