import type { XStatic } from 'typebox/schema'
import { compileLater } from '../../http/body/json-schema.ts'

const text = { type: 'string', minLength: 1 } as const
const texts = { type: 'array', minItems: 1, items: text } as const
const textMap = { type: 'object', additionalProperties: text } as const

const stepSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['title', 'request', 'why', 'lookFor'],
  properties: {
    title: text,
    request: { type: 'string', pattern: '^[A-Z]+ /[^ ]*$' },
    /** The demo that has the route of the request; absent if every instance has the route. */
    demo: text,
    headers: textMap,
    /** The query of a GET request, and the body of others: a form, or JSON with that Content-Type. */
    fields: textMap,
    file: text,
    curlFlags: texts,
    isCrossSite: { type: 'boolean' },
    why: text,
    lookFor: texts,
    /** Shown where a link or a form cannot send the request. */
    withoutScript: text,
  },
} as const

/** The front matter of a lesson. `why`, `lookFor` and `withoutScript` are Markdown. */
const lessonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['title', 'summary', 'minutes', 'steps'],
  properties: {
    title: text,
    summary: text,
    minutes: { type: 'integer', minimum: 1 },
    steps: { type: 'array', minItems: 1, items: stepSchema },
  },
} as const

/**
 * A request and what it shows. `my-lesson` stands for a random name of the visitor, and `/locations/ID` and `"ETAG"`
 * for the location and the ETag in the response to the first request.
 */
export type LessonStep = Omit<XStatic<typeof stepSchema>, 'request'> & {
  method: string
  path: string
}

export interface Lesson extends Omit<XStatic<typeof lessonSchema>, 'steps'> {
  /** The last segment of its URL, and the name of its file. */
  slug: string
  /** Markdown. */
  introduction: string
  steps: readonly LessonStep[]
}

const getValidator = compileLater(lessonSchema)

/** Throws an Error that names the part of the front matter that does not fit. */
export function parseLesson(slug: string, frontMatter: unknown, introduction: string): Lesson {
  const validator = getValidator()
  if (!validator.Check(frontMatter)) {
    const [, [problem]] = validator.Errors(frontMatter)
    throw new Error(`${slug}.md${problem?.instancePath ?? ''} ${problem?.message ?? 'is invalid'}`)
  }
  const steps = frontMatter.steps.map(({ request, ...step }) => {
    const [method = '', path = ''] = request.split(' ')
    return { ...step, method, path }
  })
  return { ...frontMatter, slug, introduction, steps }
}

const namePlaceholder = 'my-lesson'

export function hasName({ path, fields }: LessonStep): boolean {
  return [path, ...Object.values(fields ?? {})].some((value) => value.includes(namePlaceholder))
}

export function withName(step: LessonStep, name: string): LessonStep {
  const replace = (value: string) => value.replace(namePlaceholder, name)
  const fields = Object.entries(step.fields ?? {}).map(
    ([key, value]) => [key, replace(value)] as const,
  )
  const path = replace(step.path)
  return { ...step, path, ...(step.fields && { fields: Object.fromEntries(fields) }) }
}
