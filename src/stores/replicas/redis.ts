import type { Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import type { OpenReplicas, ReplicaResponses } from './replicas.ts'
import { clearInterval, clearTimeout, performance, setInterval, setTimeout } from '../../timers.ts'

const timeoutMs = 1000
/** These apply for a while after a timeout, so that a process that hangs delays only one of many questions. */
const [shortTimeoutMs, cautiousMs] = [100, 5000]
/** Redis disconnects a subscriber that is 32 MiB behind. */
const maxLength = 8 * 1024 ** 2
/** A connection that was lost silently is noticed only when something is sent. */
const pingMs = 10_000

// The question is a key that expires: a process that was suspended does nothing for old ones.
const script = `
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return redis.call('PUBLISH', ARGV[3], ARGV[4])`

export function createOpenReplicas(redis: Redis): OpenReplicas {
  return (topic, respond) => {
    // All databases of a server have the same channels.
    const channel = `vitrine:${topic}:${String(redis.options.db)}`
    const ownId = randomUUID()
    const pending = createPending()
    const { connection, isSubscribed, close } = subscribe(redis, {
      [channel]: async (asker, id) => {
        const question = asker === ownId ? null : await connection.get(toKey(id))
        if (question === null) return
        const text = JSON.stringify(await respond(question))
        const sent = text.length > maxLength ? 'null' : text
        await connection.publish(`${channel}:${asker}`, `${id} ${sent}`)
      },
      [`${channel}:${ownId}`]: pending.respond,
    })
    const ask = (question: string) =>
      pending.ask(async (id, ms) => {
        const args = [toKey(id), question, ms, channel, `${ownId} ${id}`]
        return Number(await connection.eval(script, 1, ...args)) - 1
      })
    return {
      ask: async (question) => (isSubscribed() ? ask(question).catch(() => undefined) : undefined),
      close,
    }
  }
}

const toKey = (id: string) => `vitrine:question:${id}`

/** `ms` is how long the question stays valid. Resolves with the number of processes that got it. */
type Publish = (id: string, ms: number) => Promise<number>

function createPending() {
  const waiting = new Map<string, (response: unknown) => void>()
  let cautiousUntil = 0
  const collect = async (id: string, publish: Publish): Promise<ReplicaResponses> => {
    const found: unknown[] = []
    const { promise: completed, resolve: complete } = Promise.withResolvers<undefined>()
    // Responses can arrive before the number of those that were asked.
    let others = Infinity
    const add = (...responses: unknown[]) => {
      found.push(...responses)
      if (found.length >= others) complete(undefined)
    }
    waiting.set(id, add)
    const isCautious = performance.now() < cautiousUntil
    const ms = isCautious ? shortTimeoutMs : timeoutMs
    others = await publish(id, ms)
    add()
    const timer = setTimeout(complete, ms, undefined)
    await completed
    clearTimeout(timer)
    if (found.length < others && !isCautious) cautiousUntil = performance.now() + cautiousMs
    const values = found.filter((one) => one !== null)
    return { values, silent: others - values.length }
  }
  return {
    ask: (publish: Publish) => {
      const id = randomUUID()
      return collect(id, publish).finally(() => waiting.delete(id))
    },
    respond: async (id: string, text: string) => {
      waiting.get(id)?.(JSON.parse(text))
    },
  }
}

type Listener = (first: string, rest: string) => Promise<void>

/** Its own connection: large responses must not delay the sessions. */
function subscribe(redis: Redis, listeners: Readonly<Record<string, Listener>>) {
  const connection = redis.duplicate({ autoResubscribe: false })
  let isSubscribed = false
  const subscribeAgain = async () => {
    await connection.subscribe(...Object.keys(listeners))
    isSubscribed = true
  }
  connection.on('ready', () => {
    subscribeAgain().catch(ignore)
  })
  connection.on('close', () => {
    isSubscribed = false
  })
  connection.on('error', ignore)
  connection.on('message', (channel, message) => {
    const [first = ''] = message.split(' ', 1)
    listeners[channel]?.(first, message.slice(first.length + 1)).catch(ignore)
  })
  connection.connect().catch(ignore)
  const timer = setInterval(() => {
    connection.ping().catch(ignore)
  }, pingMs).unref()
  const close = () => {
    clearInterval(timer)
    connection.disconnect(false)
  }
  return { connection, isSubscribed: () => isSubscribed, close }
}

/** It connects again by itself. */
const ignore = () => undefined
