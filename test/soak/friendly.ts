import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { asUpload } from '../support/multipart-form.ts'
import type { Service } from './service.ts'

export interface Report {
  /** Milliseconds of each response outside of restarts. */
  latencies: number[]
  requests: number
  /** Requests that were repeated because of a restart. */
  repeated: number
  /** 503 because the machine is too slow for MAX_EVENT_LOOP_DELAY_MS. */
  shed: number
  failures: string[]
}

interface Message {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

interface Response {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

const patienceMs = 30_000
const maxOwn = 20
/** 300 requests a minute are allowed, and some are repeated. */
const pauseMs = 400

export type Client = ReturnType<typeof createClient>

/** A client with an address of its own, which expects to find what it has written, as it has written it. */
export function createClient(service: Service, number: number, report: Report) {
  const localAddress = `127.0.1.${String(number)}`
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress })
  const places = new Map<string, object | undefined>()
  const uploads = new Map<string, Buffer | undefined>()
  const bins = new Map<string, { secret: string; sent: number }>()

  /** Repeats what a restart interrupts. Every other failure of a connection fails the client. */
  async function send(path: string, message: Message = {}): Promise<Response> {
    const giveUpAt = performance.now() + patienceMs
    for (;;) {
      const restarts = service.restarts()
      const wasDown = service.isDown()
      const begin = performance.now()
      report.requests += 1
      const response = await sendOnce(agent, service.origin + path, message).catch(toError)
      const isOfRestart = wasDown || service.isDown() || restarts !== service.restarts()
      if (!(response instanceof Error) && response.status === 503) {
        assert.ok(performance.now() < giveUpAt, `503 for ${path}: ${response.body.toString()}`)
        report.shed += isOfRestart ? 0 : 1
        await setTimeout(Number(response.headers['retry-after'] ?? 1) * 1000)
      } else if (!(response instanceof Error)) {
        if (!isOfRestart) report.latencies.push(performance.now() - begin)
        return response
      } else if (isOfRestart && performance.now() < giveUpAt) {
        report.repeated += 1
        await setTimeout(50)
      } else throw new Error(`${message.method ?? 'GET'} ${path}`, { cause: response })
    }
  }

  async function expect(status: number, path: string, message: Message = {}): Promise<Response> {
    const response = await send(path, message)
    const seen = `${message.method ?? 'GET'} ${path}: ${String(response.status)} ${response.body.toString().slice(0, 500)}`
    assert.equal(response.status, status, seen)
    return response
  }

  const choose = (all: ReadonlyMap<string, unknown>) =>
    [...all.keys()][Math.floor(Math.random() * all.size)]

  async function createPlace(): Promise<void> {
    const place = randomPlace(`soak-${String(number)}`)
    // The key makes the repetition safe.
    const message = asJson('POST', place, { 'idempotency-key': `"${randomUUID()}"` })
    const { headers } = await expect(201, '/locations', message)
    places.set(new URL(headers.location ?? '', service.origin).pathname, place)
    if (places.size > maxOwn) await removePlace()
  }

  async function changePlace(): Promise<void> {
    const path = choose(places)
    if (path === undefined || places.get(path) === undefined) return
    const place = randomPlace(`soak-${String(number)}`)
    await expect(200, path, asJson('PUT', place))
    places.set(path, place)
  }

  async function removePlace(): Promise<void> {
    const path = choose(places)
    if (path === undefined) return
    if (places.get(path) === undefined) {
      places.delete(path)
      return
    }
    // The first of two requests may have been done.
    const { status } = await send(path, { method: 'DELETE' })
    assert.ok([200, 204, 404].includes(status), `DELETE ${path}: ${String(status)}`)
    places.set(path, undefined)
  }

  async function readPlace(path = choose(places)): Promise<void> {
    if (path === undefined) return
    const place = places.get(path)
    const { body } = await expect(place ? 200 : 404, path)
    if (place) assert.partialDeepStrictEqual(JSON.parse(body.toString()), place)
  }

  async function uploadFile(): Promise<void> {
    const content = randomBytes(1 + Math.floor(Math.random() * 20_000))
    const { headers, payload } = asUpload(content, { fileName: `soak-${String(number)}.bin` })
    const { body } = await expect(200, '/profile', { method: 'POST', headers, body: payload })
    const [saved] = [JSON.parse(body.toString()) as { _id: string } | { _id: string }[]].flat()
    uploads.set(`/uploads/${saved?._id ?? ''}`, content)
    if (uploads.size <= maxOwn) return
    const path = choose(uploads) ?? ''
    const { status } = await send(path, { method: 'DELETE' })
    assert.ok([200, 204, 404].includes(status), `DELETE ${path}: ${String(status)}`)
    uploads.delete(path)
  }

  async function readUpload(path = choose(uploads)): Promise<void> {
    if (path === undefined) return
    const { body } = await expect(200, path)
    assert.ok(body.equals(uploads.get(path) ?? Buffer.of()), `${path} has other content`)
  }

  async function useBin(): Promise<void> {
    if (bins.size === 0) {
      const { body } = await expect(201, '/bins', { method: 'POST' })
      const { id, secret } = JSON.parse(body.toString()) as { id: string; secret: string }
      bins.set(id, { secret, sent: 0 })
    }
    for (const [id, bin] of bins) {
      const note = randomUUID()
      await expect(200, `/b/${id}/soak`, asJson('POST', { note }))
      const headers = { authorization: `Bearer ${bin.secret}` }
      const { body } = await expect(200, `/bins/${id}/requests?contains=${note}`, { headers })
      // A request that a restart interrupted was captured twice.
      assert.ok((JSON.parse(body.toString()) as unknown[]).length >= 1, `bin ${id} lacks ${note}`)
    }
  }

  async function readLists(): Promise<void> {
    const { body } = await expect(200, '/locations?per_page=10')
    assert.ok(Array.isArray(JSON.parse(body.toString())))
    await expect(200, '/uploads?per_page=5')
  }

  async function readPages(): Promise<void> {
    for (const path of ['/', '/docs', '/learn/caching', '/locations', '/assets/base.css'])
      assert.ok((await expect(200, path, { headers: { accept: 'text/html' } })).body.length > 500)
  }

  const steps = [createPlace, changePlace, readPlace, readPlace, uploadFile, readUpload, useBin]
  const others = [readLists, readPages, removePlace, createPlace, changePlace, readPlace]
  const all = [...steps, ...others]
  const run = async (step: () => Promise<void>) => {
    try {
      await step()
    } catch (error) {
      const { message, cause } = error instanceof Error ? error : new Error(String(error))
      const reason = cause instanceof Error ? ` (${cause.message})` : ''
      report.failures.push(`client ${String(number)}: ${message}${reason}`)
    }
  }
  return {
    work: async (isOver: () => boolean) => {
      for (let count = number; !isOver(); count += 1) {
        await run(() => (all[count % all.length] ?? readLists)())
        await setTimeout(pauseMs)
      }
    },
    /** Reads all that was acknowledged. */
    verify: async () => {
      for (const path of places.keys()) await run(() => readPlace(path))
      for (const path of uploads.keys()) await run(() => readUpload(path))
      return places.size + uploads.size
    },
    close: () => {
      agent.destroy()
    },
  }
}

async function sendOnce(agent: Agent, url: string, message: Message): Promise<Response> {
  const { method = 'GET', headers = {}, body } = message
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = { accept: 'application/json', ...headers }
  const signal = AbortSignal.timeout(patienceMs)
  request(url, { agent, method, headers: sent, signal }, resolve).on('error', reject).end(body)
  const response = await promise
  const content = Buffer.concat((await response.toArray()) as Buffer[])
  return { status: response.statusCode ?? 0, headers: response.headers, body: content }
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))

function asJson(method: string, body: object, headers: Record<string, string> = {}): Message {
  const type = { 'content-type': 'application/json' }
  return { method, headers: { ...type, ...headers }, body: JSON.stringify(body) }
}

function randomPlace(name: string) {
  const random = (max: number) => Math.round((Math.random() * 2 - 1) * max * 1000) / 1000
  const note = randomBytes(Math.ceil(Math.random() * 200)).toString('hex')
  return { name, note, latitude: random(90), longitude: random(180) }
}
