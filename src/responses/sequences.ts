import type { States } from '../stores/states/states.ts'

/** Counts the request, and resolves with its number and the step that it gets. */
export async function takeStep<Step extends { times?: number }>(
  states: States,
  key: string,
  steps: readonly Step[],
) {
  const { requests } = await states.update(key, ({ requests: known = 0 }) => ({
    requests: known + 1,
  }))
  return { requests, step: findStep(steps, requests) }
}

function findStep<Step extends { times?: number }>(steps: readonly Step[], requests: number) {
  let last = 0
  return steps.find(({ times = 1 }) => (last += times) >= requests) ?? steps.at(-1)
}
