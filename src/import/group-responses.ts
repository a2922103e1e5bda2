import { maxAlternatives, maxSequenceSteps, maxStepRequests } from '../config/limits.ts'
import { isSecret } from '../inspector/recorder/mask.ts'
import type { Description } from '../responses/description.ts'

export interface Step {
  description: Description
  /** The URL of `Location`, whose host the archive may have too. */
  location: URL | undefined
  times: number
}

export type Parameters = readonly (readonly [name: string, value: string])[]

/** The responses to one query string. */
export interface Variant {
  parameters: Parameters
  steps: Step[]
}

/** The responses to one method and URL without its query string. */
export interface Group {
  method: string
  host: string
  path: string
  variants: Map<string, Variant>
  secrets: Set<string>
}

export interface Received {
  method: string
  url: URL
  /** Its secrets are masked. */
  path: string
  description: Description
  secrets: readonly string[]
}

export type Groups = Map<string, Group>

/** Adds a response, or returns why it cannot be added. */
export function addResponse(groups: Groups, received: Received): string | undefined {
  const { method, url, path, description, secrets } = received
  const key = `${method} ${url.host}${path}`
  const group = groups.get(key) ?? {
    method,
    host: url.host,
    path,
    variants: new Map<string, Variant>(),
    secrets: new Set<string>(),
  }
  groups.set(key, group)
  const parameters = toParameters(url)
  const query = JSON.stringify(parameters)
  const variant = group.variants.get(query) ?? { parameters, steps: [] }
  if (group.variants.size === maxAlternatives && !group.variants.has(query))
    return `of more than ${String(maxAlternatives)} query strings of one path`
  group.variants.set(query, variant)
  for (const secret of secrets) group.secrets.add(secret)
  return addStep(variant.steps, { description, location: findLocation(description, url), times: 1 })
}

/** A condition on a masked value would never hold. */
function toParameters({ searchParams }: URL): Parameters {
  const open = [...searchParams].filter(([name]) => !isSecret(name))
  return open.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
}

function findLocation({ headers = {} }: Description, base: URL): URL | undefined {
  const [, value] = Object.entries(headers).find(([name]) => /^location$/i.test(name)) ?? []
  return value === undefined ? undefined : (URL.parse(String(value), base.href) ?? undefined)
}

function addStep(steps: Step[], step: Step): string | undefined {
  const last = steps.at(-1)
  const isRepeated = last && JSON.stringify(last.description) === JSON.stringify(step.description)
  if (isRepeated) last.times = Math.min(last.times + 1, maxStepRequests)
  else if (steps.length < maxSequenceSteps) steps.push(step)
  else return `after ${String(maxSequenceSteps)} others to the same URL`
  return undefined
}
