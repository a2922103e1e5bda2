import type { FastifyReply } from 'fastify'
import type { WebSocket } from 'ws'
import type { Config } from '../config/config.ts'
import { HttpError } from '../http/errors/http-error.ts'
import { closeWebSocket, type LimitedWebSocket } from '../http/web-sockets.ts'
import { clearTimeout, setTimeout } from '../timers.ts'
import { explainDifference, findDifferences } from './conditions.ts'
import type { Description, ScriptStep } from './description.ts'
import { addNames, createValueRenderer, findUses, loadNames, type RenderSource } from './render.ts'
import { toMessageValues, type RequestValues } from './request-values.ts'
import { cutReason, toConditions, toMessage } from './script.ts'

interface Script {
  steps: readonly ScriptStep[]
  config: Config
  /** Those of the request. */
  values: RequestValues
  render: (value: unknown, values: RequestValues) => unknown
}

/** What the script of a description needs. Throws as `renderDescription` does. */
export async function prepareScript(
  description: Description,
  source: RenderSource,
  config: Config,
): Promise<Script> {
  const { websocket: steps = [] } = description
  const uses = findUses(description)
  const values = uses.isTemplate ? await loadNames(uses, source) : await source.loadValues()
  const render = uses.isTemplate ? createValueRenderer(description, source) : keep
  return { steps, config, values, render }
}

const keep = (value: unknown) => value

/** The connection stays open after the last step, until its client closes it or its time ends. */
export async function runScript(
  opened: LimitedWebSocket,
  { server, request }: FastifyReply,
  script: Script,
): Promise<void> {
  const { socket } = opened
  try {
    await runSteps(opened, script)
  } catch (error) {
    const isKnown = error instanceof HttpError
    if (!isKnown) server.log.error({ reqId: request.id, err: error }, 'fault')
    const isUnexpected = isKnown && error.status < 500
    const reason = isKnown ? cutReason(error.message) : 'Internal error.'
    closeWebSocket(socket, isUnexpected ? 1008 : 1011, reason)
  }
}

async function runSteps(opened: LimitedWebSocket, { steps, config, render, ...script }: Script) {
  const { socket } = opened
  const count = steps.filter((step) => 'expect' in step).length
  const takeMessage = queueMessages(socket, count, 4 * config.maxBodyBytes)
  let { values } = script
  for (const { expect, ...step } of steps) {
    if (step.wait !== undefined) await pause(socket, step.wait * 1000)
    if (expect !== undefined) {
      const message = await takeMessage()
      if (message === undefined) return
      const rendered = typeof expect === 'string' ? render(expect, values) : expect
      values = addNames(values, toMessageValues(message, config))
      assertExpected(rendered, values)
    }
    if (socket.readyState !== socket.OPEN) return
    await act(opened, step, (value) => render(value, values))
  }
}

function assertExpected(expect: unknown, values: RequestValues): void {
  const differences = findDifferences(toConditions(expect), values)
  if (differences.length === 0) return
  throw new HttpError('bad-request', `Expected: ${differences.map(explainDifference).join('; ')}`)
}

async function act(
  { socket, isOver }: LimitedWebSocket,
  { send, close, reason = '', drop }: ScriptStep,
  render: (value: unknown) => unknown,
): Promise<void> {
  if (send !== undefined) {
    const message = toMessage(render(send))
    // The next step waits until the operating system has this message.
    const { promise, resolve } = Promise.withResolvers<unknown>()
    if (!isOver(1, Buffer.byteLength(message))) socket.send(message, resolve)
    else resolve(undefined)
    await promise
  }
  if (close !== undefined) closeWebSocket(socket, close, cutReason(String(render(reason))))
  if (drop) socket.terminate()
}

/** Returns what takes the next message; it is undefined after the end. Those after the last expected one are ignored. */
function queueMessages(socket: WebSocket, count: number, maxWaitingBytes: number) {
  const waiting: Buffer[] = []
  let left = count
  let bytes = 0
  let taker: ((message?: Buffer) => void) | undefined
  socket.on('message', (message: Buffer) => {
    if (left === 0) return
    left -= 1
    if (taker) {
      taker(message)
      taker = undefined
      return
    }
    bytes += message.length
    if (bytes <= maxWaitingBytes) waiting.push(message)
    else socket.close(1009, 'The messages that no step has expected are too long.')
  })
  socket.on('close', () => taker?.())
  return async (): Promise<Buffer | undefined> => {
    const first = waiting.shift()
    bytes -= first?.length ?? 0
    if (first || socket.readyState !== socket.OPEN) return first
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
    taker = resolve
    return promise
  }
}

/** It ends with the connection. */
async function pause(socket: WebSocket, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, ms, undefined)
  socket.once('close', resolve)
  await promise
  clearTimeout(timer)
  socket.off('close', resolve)
}
