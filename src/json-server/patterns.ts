import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { maxMatchingMs } from '../config/limits.ts'
import { badRequest } from '../http/errors/http-error.ts'

type MatchedTexts = readonly (string | undefined)[]

/** Such a pattern can match a text in one way only: it takes linear time, and needs no thread of its own. */
const plainPattern = /^\^?[\p{L}\p{N} _,:;@#%&=!'"<>~/-]{0,100}\$?$/u

/** Whether a text matches one of the regular expressions. Throws 400 for an invalid or a slow one. */
export function createPatternTest(name: string, patterns: readonly string[]) {
  try {
    match(patterns, [])
  } catch (cause) {
    throw badRequest(`${name} must be a regular expression.`, cause)
  }
  let milliseconds = maxMatchingMs.request
  return async (texts: MatchedTexts): Promise<readonly boolean[]> => {
    if (patterns.every((pattern) => plainPattern.test(pattern))) return match(patterns, texts)
    const limit = Math.max(1, Math.floor(Math.min(milliseconds, maxMatchingMs.page)))
    const { results, used } = await inTurn(async () => matchInWorker([patterns, texts, limit]))
    milliseconds -= used
    if (results) return results
    throw badRequest(
      `${name} takes too long: a page of a list is matched for at most ${String(maxMatchingMs.page)} ms.`,
    )
  }
}

/** Runs in the worker too, so that it uses nothing around it. */
function match(patterns: readonly string[], texts: MatchedTexts): readonly boolean[] {
  const tests = patterns.map((pattern) => new RegExp(pattern, 'i'))
  return texts.map((text) => text !== undefined && tests.some((test) => test.test(text)))
}

let worker: Worker | undefined

/** One worker for all requests: a page of records at a time, so that they take turns. */
const inTurn = pLimit(1)

// The worker is text, since a bundle has no file of its own for it. The limit is one of its CPU time, and not of the clock.
const source = `const match = ${match.toString()}
const { parentPort } = require('node:worker_threads')
const { createContext, Script } = require('node:vm')
const context = createContext()
const script = new Script('run()')
parentPort.on('message', ([patterns, texts, timeout]) => {
  const start = process.threadCpuUsage()
  let results
  context.run = () => { results = match(patterns, texts) }
  for (;;) {
    try { script.runInContext(context, { timeout }) } catch {}
    const { user, system } = process.threadCpuUsage(start)
    const used = (user + system) / 1000
    if (results || used >= timeout) return parentPort.postMessage({ results, used })
  }
})`

interface Matched {
  results?: readonly boolean[] | undefined
  used: number
}

async function matchInWorker(sent: [...Parameters<typeof match>, limit: number]): Promise<Matched> {
  worker ??= new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64 } })
  const running = worker
  running.ref()
  running.postMessage(sent)
  try {
    // The code of the worker is `source`, which posts nothing else.
    const [matched] = (await once(running, 'message')) as [Matched]
    running.unref()
    return matched
  } catch {
    // The worker has ended, because it reached the limit of its memory.
    worker = undefined
    return { used: maxMatchingMs.request }
  }
}
