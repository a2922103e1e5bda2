import type { IncomingMessage } from 'node:http'
import { recordExtras } from '../http/recording.ts'
import type { States } from '../stores/states/states.ts'

export async function takeStep<Step extends { times?: number }>(
  raw: IncomingMessage,
  states: States,
  { key, steps }: { key: string; steps: readonly Step[] },
) {
  const { requests } = await states.update(key, ({ requests: known = 0 }) => ({
    requests: known + 1,
  }))
  const step = findStep(steps, requests)
  recordExtras(raw, { step: requests })
  return { requests, step: steps[step] }
}

function findStep(steps: readonly { times?: number }[], requests: number): number {
  let last = 0
  const found = steps.findIndex(({ times = 1 }) => (last += times) >= requests)
  return found === -1 ? steps.length - 1 : found
}
