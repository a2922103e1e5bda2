import type { Html } from '../html.ts'

export interface Lesson {
  /** The last segment of its URL. */
  slug: string
  title: string
  summary: string
  minutes: number
  introduction: readonly Html[]
  steps: readonly Step[]
}

const namePlaceholder = 'my-lesson'

/**
 * A request and what it shows. `my-lesson` stands for a random name of the visitor, and `/locations/ID` and `"ETAG"`
 * for the location and the ETag in the response to the first request.
 */
export type Step = ReturnType<typeof step>

interface StepParts {
  why: Html
  headers?: Readonly<Record<string, string>>
  /** The query of a GET request, and the body of others: a form, or JSON with that Content-Type. */
  fields?: Readonly<Record<string, string>>
  file?: string
  curlFlags?: readonly string[]
  isCrossSite?: boolean
  lookFor: readonly Html[]
  /** Shown where a link or a form cannot send the request. */
  withoutScript?: Html
}

/** The request is `GET /path`. `demo` has its route; empty if every instance has the route. */
export function step(title: string, request: string, demo: string, parts: StepParts) {
  const [method = '', path = ''] = request.split(' ')
  return { title, method, path, demo, ...parts }
}

export function hasName({ path, fields }: Step): boolean {
  return [path, ...Object.values(fields ?? {})].some((text) => text.includes(namePlaceholder))
}

export function withName(step: Step, name: string): Step {
  const replace = (text: string) => text.replace(namePlaceholder, name)
  const fields = Object.entries(step.fields ?? {}).map(
    ([key, value]) => [key, replace(value)] as const,
  )
  const path = replace(step.path)
  return { ...step, path, ...(step.fields && { fields: Object.fromEntries(fields) }) }
}
