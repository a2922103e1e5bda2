import { findFreePort } from './free-port.ts'
import { openClient, type Send } from './client.ts'
import type { Ending } from './start-vitrine.ts'
import { startInFolder } from './stopping.ts'
import { parseMetrics, type ParsedMetrics } from './parse-metrics.ts'

/** The service with an admin port, and functions that send requests to it. */
export async function startWithAdmin(t: Ending, settings: Record<string, string> = {}) {
  const port = String(await findFreePort())
  const vitrine = await startInFolder(t, { ADMIN_PORT: port, ...settings })
  const adminOrigin = `http://127.0.0.1:${port}`
  return { ...vitrine, adminOrigin, ...openAdmin(t, adminOrigin) }
}

export function openAdmin(t: Ending, adminOrigin: string) {
  const send = openClient(t, adminOrigin)
  return {
    send,
    ready: () => readReadiness(send),
    metrics: async (): Promise<ParsedMetrics> => parseMetrics((await send('/metrics')).text),
  }
}

/** Status code and body of a probe, and whether it has Retry-After. */
export async function readReadiness(send: Send) {
  const { status, headers, text } = await send('/health/ready')
  const { status: word } = JSON.parse(text) as { status: string }
  return [status, word, headers['retry-after']]
}

export const ready = [200, 'ready', undefined]
export const notReady = (word: string) => [503, word, '1']
